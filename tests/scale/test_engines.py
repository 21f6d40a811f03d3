"""Frames of engines that work elsewhere, Dask and Spark, beside polars: every verb that reads tables says the same."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import narwhals as nw
import polars as pl
import pytest

from quorate import compare, describe, estimate, fit, plan
from quorate.cli.output import to_json
from quorate.data.frames import group_rows
from quorate.data.inputs import example_path

Frame = Callable[[pl.DataFrame], Any]


@pytest.fixture(scope="module")
def dask_frames() -> Frame:
    dask: Any = pytest.importorskip("dask.dataframe", reason="Dask is not installed (extra scale)")
    return lambda table: dask.from_pandas(table.to_pandas(), npartitions=3)


@pytest.fixture(scope="module")
def spark_frames() -> Iterator[Frame]:
    sql: Any = pytest.importorskip("pyspark.sql", reason="PySpark is not installed (extra scale; make scale)")
    if shutil.which("java") is None:
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
def frame_of(request: pytest.FixtureRequest) -> Frame:
    made: Frame = request.getfixturevalue(request.param)
    return made


def example(name: str) -> pl.DataFrame:
    return pl.read_csv(example_path(name), infer_schema_length=None)


VERBS: dict[str, Callable[[Frame], Any]] = {
    "describe": lambda of: describe(of(example("support"))),
    "compare": lambda of: compare(of(example("support")), of(example("support-answers")), resamples=99),
    "fit": lambda of: fit(of(example("support"))),
    "plan": lambda of: plan(
        from_ratings=of(example("support")),
        with_answers=of(example("support-answers")),
        difference=0.05,
        items=200,
        raters=3,
    ),
    "estimate": lambda of: estimate(
        votes=of(example("moderation")),
        experts=of(example("moderation-experts")),
        scores=of(example("moderation-scores")),
        metric="accuracy",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_gives_the_bytes_of_the_polars_table(verb: str, frame_of: Frame) -> None:
    assert to_json(VERBS[verb](frame_of)) == to_json(VERBS[verb](lambda table: table))


@pytest.mark.filterwarnings("ignore")
def test_only_the_tally_leaves_the_engine(frame_of: Frame, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rating is there five times: a fifth of the rows reaches Python."""
    table = example("support")
    brought, collect = [], nw.LazyFrame.collect

    def watch(frame: Any, *arguments: Any, **options: Any) -> Any:
        result = collect(frame, *arguments, **options)
        brought.append(len(result))
        return result

    monkeypatch.setattr(nw.LazyFrame, "collect", watch)
    many = describe(frame_of(pl.concat([table] * 5)))
    assert brought == [table.height]
    assert many.ratings.n_responses == 5 * table.height


@pytest.mark.filterwarnings("ignore")
def test_the_plan_of_spark_shows_the_group_by(spark_frames: Frame, capsys: pytest.CaptureFixture[str]) -> None:
    grouped = group_rows(nw.from_native(spark_frames(example("support"))), ["item", "rater", "response"], [])
    grouped.to_native().explain()
    assert "HashAggregate" in capsys.readouterr().out


def test_the_plan_of_duckdb_shows_the_group_by() -> None:
    duckdb: Any = pytest.importorskip("duckdb")
    votes = example("support")
    relation = duckdb.sql("SELECT * FROM votes")
    grouped = group_rows(nw.from_native(relation), ["item", "rater", "response"], [])
    assert "group by" in grouped.to_native().explain().lower().replace("_", " ")
    assert votes.height
