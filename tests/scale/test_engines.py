"""Frames of a Dask cluster and of Spark beside polars: every verb that reads tables says the same."""

from collections.abc import Iterator
from typing import Any

import pytest

from quorate.cli.output import to_json
from tests.scale.clusters import started
from tests.scale.test_sources import thrice, watch
from tests.sources import KINDS, QUESTIONS, TWICE, Place, Rule, answered_again, has_java


@pytest.fixture(scope="module")
def dask_frames(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Frames whose work is done by two workers, each a process of its own: the client is the one Dask then uses."""
    dask: Any = pytest.importorskip("dask.dataframe", reason="Dask is not installed (extra scale)")
    distributed: Any = pytest.importorskip("distributed", reason="Dask is not installed (extra scale)")
    with (
        started(tmp_path_factory.mktemp("dask") / "cluster", workers=2) as cluster,
        distributed.Client(cluster.address) as client,
    ):
        client.wait_for_workers(2)
        yield lambda table: dask.from_pandas(table.to_pandas(), npartitions=3)


@pytest.fixture(scope="module")
def spark_frames() -> Iterator[Place]:
    sql: Any = pytest.importorskip("pyspark.sql", reason="PySpark is not installed (extra scale; make scale)")
    if not has_java():
        pytest.skip("there is no Java: install a headless JRE")
    session = (
        sql.SparkSession.builder.master("local[1]")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    yield lambda table: session.createDataFrame(table.to_pandas())
    session.stop()


@pytest.fixture(params=["dask_frames", "spark_frames"])
def frame_of(request: pytest.FixtureRequest) -> Place:
    made: Place = request.getfixturevalue(request.param)
    return made


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_gives_the_bytes_of_the_polars_table(question: str, frame_of: Place) -> None:
    assert to_json(QUESTIONS[question](frame_of)) == to_json(QUESTIONS[question](lambda table: table))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", ["first", "last"])
@pytest.mark.parametrize("kind", TWICE)
def test_the_first_and_the_last_of_repeated_rows_count(kind: str, rule: Rule, frame_of: Place) -> None:
    ask, table, column = TWICE[kind]
    rows = answered_again(table(), column)
    assert to_json(ask(lambda _: frame_of(rows), rule)) == to_json(ask(lambda _: rows, rule))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_equal_rows_travel_once_and_the_plan_groups(
    kind: str, frame_of: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each row is there three times: a third of the rows reaches Python, and the engine's plan says how."""
    ask, table, keys = KINDS[kind]
    brought = watch(monkeypatch)
    ask(thrice(frame_of, table()))
    assert [height for height, _ in brought] == [table().select(keys).n_unique()]
    assert "groupby" in explained(brought[0][1], capsys)


def explained(frame: Any, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the plan of a frame of Dask or Spark, with one word for grouping."""
    if "dask" in type(frame).__module__:
        return str(frame.optimize().expr.tree_repr()).lower()
    capsys.readouterr()
    frame.explain()
    return capsys.readouterr().out.replace("Aggregate(keys=", "groupby").replace("Aggregate(key=", "groupby")
