"""Sweeps: exact laws against brute force, shared draws against single ones, grids, the journal and the command."""

from pathlib import Path

import polars as pl
import pytest

from quorate._errors import InputError
from quorate.planning.grid_sweep import sweep
from quorate.planning.grids import FOREST, Grid, find_grid

SMALL = Grid({"dices": "dices", "pair": (1.4, 1.3)}, ("accuracy", "wins"), (0.2, 0.4), ((100, 100, 1), (100, 20, 5)))


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUORATE_CACHE", str(tmp_path / "cache"))


class TestGrid:
    def test_forest_is_the_papers(self) -> None:
        assert (len(FOREST.sizes), len(FOREST.populations), FOREST.n_rows) == (282, 10, 45_120)
        assert find_grid("forest").effects == (0.1, 0.2, 0.3, 0.4)
        assert (100, 100, 1) in FOREST.sizes
        assert (50_000, 100, 500) in FOREST.sizes
        assert (250, 12, 20) in FOREST.sizes  # N = NK // K
        assert not any(n < 1 for _, n, _ in FOREST.sizes)

    def test_toml(self, tmp_path: Path) -> None:
        path = tmp_path / "grid.toml"
        path.write_text(
            'metrics = ["agreement"]\neffects = [0.5]\nitems = [50]\nraters = [1, 3]\n'
            '[populations]\nours = [5, 1, 3]\ntheirs = "dices"\n'
        )
        grid = find_grid(str(path))
        assert grid.sizes == ((50, 50, 1), (150, 50, 3))
        assert (grid.answers, grid.variant) == (1, "default")
        assert grid.population("ours").to_dict()["alpha"] == [5.0, 1.0, 3.0]

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            ("metric = 3", "key 'metric'"),
            ("raters = [1]", "either responses or items"),
            ("raters = [0]\nitems = [3]", "raters 0 must be at least 1"),
            ("raters = [9]\nresponses = [3]", "at least one item"),
            ('raters = [1]\nitems = [3]\npopulations = ["dices"]\nmetrics = ["accuracy"]\neffects = [2.0]', "0 to 1"),
            (
                'raters = [1]\nitems = [3]\npopulations = ["dices"]\nmetrics = ["best"]\neffects = [0.1]',
                "unknown metric",
            ),
            ('raters = [1]\nitems = [3]\npopulations = ["dice"]\nmetrics = ["kl"]\neffects = [0.1]', "did you mean"),
            (
                'raters = [1]\nitems = [3]\npopulations = ["dices"]\nmetrics = ["kl"]\neffects = ["x"]',
                "effects as a list",
            ),
            ("raters = [", "not TOML"),
        ],
    )
    def test_bad_files(self, tmp_path: Path, content: str, words: str) -> None:
        path = tmp_path / "grid.toml"
        path.write_text(content)
        with pytest.raises(InputError, match=words):
            find_grid(str(path))

    @pytest.mark.parametrize(("name", "words"), [("trees", "no grid 'trees'"), ("none.toml", "There is no file none")])
    def test_no_such_grid(self, name: str, words: str) -> None:
        with pytest.raises(InputError, match=words):
            find_grid(name)


class TestSweep:
    def test_one_cell(self) -> None:
        row = sweep(Grid({"dices": (5.22, 0.86, 2.75)}, ("accuracy",), (0.3,), ((1000, 1000, 1),))).rows[0]
        assert (round(row.expected_p, 3), round(row.difference, 4)) == (0.036, 0.0534)

    def test_rows_and_columns(self) -> None:
        found = sweep(SMALL)
        assert len(found.rows) == SMALL.n_rows == 16
        assert found.to_frame().columns == [
            "population", "metric", "effect", "responses", "n_items", "n_raters",
            "expected_p", "expected_p_error", "difference", "ci_width", "power",
        ]  # fmt: skip
        assert "16 expected p-values; all are within 0.003 or 10 % of the truth by two" in found.sentence()

    def test_workers_and_resume_change_nothing(self) -> None:
        whole = sweep(SMALL, seed=3).to_frame()
        assert sweep(SMALL, seed=3, workers=2).to_frame().equals(whole)
        assert sweep(SMALL, seed=3, resume=True).to_frame().equals(whole)

    def test_a_killed_sweep_goes_on(self, tmp_path: Path) -> None:
        whole = sweep(SMALL).to_frame()
        journal = next((tmp_path / "cache").glob("sweep-*.jsonl"))
        lines = journal.read_text().splitlines(keepends=True)
        journal.write_text("".join(lines[:3]) + lines[3][:20])  # a header, two tasks, and half a line
        assert sweep(SMALL, resume=True).to_frame().equals(whole)

    def test_exact_rows_do_not_depend_on_their_neighbours(self) -> None:
        alone = sweep(Grid({"pair": (1.4, 1.3)}, ("wins",), (0.4,), ((100, 100, 1), (100, 20, 5)))).to_frame()
        same = sweep(SMALL).to_frame().filter((pl.col("population") == "pair") & (pl.col("metric") == "wins"))
        assert alone.equals(same.filter(pl.col("effect") == 0.4))

    def test_other_populations_and_answers(self) -> None:
        grid = Grid({"numbers": "uniform-normal"}, ("mae",), (0.1,), ((100, 100, 1),), answers=1, variant="default")
        row = sweep(grid).rows[0]
        assert 0 < row.expected_p < 0.5
        assert row.ci_width > 0

    def test_side_by_medians_in_the_paper_variant_only(self) -> None:
        # KL + 1e-12 of dices at K = 20: the expected difference is just below 0, B looks better.
        sizes = ((1000, 50, 20), (50_000, 2500, 20))
        paper, ours = (
            sweep(Grid({"dices": "dices"}, ("kl",), (0.3,), sizes, variant=variant)).rows
            for variant in ("paper", "default")
        )
        assert all(row.difference < 0 for row in paper)
        assert paper[1].expected_p < 0.5
        assert ours[1].difference > 0  # smoothed by half an answer, A is better again

    def test_systems_that_never_differ(self) -> None:
        # jobsq1 at K = 100: 1470 pseudo-answers make every plurality the first category, so all studies tie.
        rows = sweep(Grid({"jobsq1": "jobsq1"}, ("accuracy",), (0.1,), ((500, 5, 100), (10_000, 100, 100)))).rows
        assert [row.expected_p for row in rows] == [1.0, 1.0]
        assert rows[1].expected_p_error > rows[0].expected_p_error > 0
        assert [row.power for row in rows] == [0.0, 0.0]

    def test_systems_that_always_differ(self) -> None:
        # jobsq3 at K = 500: TV is won by A on every simulated item, so an unseen loss is the only error of p.
        rows = sweep(Grid({"jobsq3": "jobsq3"}, ("wins",), (0.4,), ((500, 1, 500), (50_000, 100, 500)))).rows
        assert [row.difference for row in rows] == pytest.approx([1.0, 1.0], abs=1e-3)
        assert 0.3 < rows[0].expected_p < 0.7  # one null item ties or wins about half the time
        assert rows[1].expected_p < 1e-20
        assert rows[1].expected_p_error < 0.003

    def test_every_row_is_as_precise_as_promised(self) -> None:
        sizes = ((2500, 20, 120), (50_000, 416, 120), (50_000, 12_500, 4))
        grid = Grid({"toxicity": "toxicity", "u12": "unbalanced-12"}, FOREST.metrics, (0.1, 0.3), sizes)
        found = sweep(grid)
        assert all(row.expected_p_error <= max(0.003, 0.1 * row.expected_p) for row in found.rows)
        assert "100 % are within 0.003 or 10 % of the truth by one Monte-Carlo error" in found.sentence()

    def test_a_grid_file_is_an_input(self, tmp_path: Path) -> None:
        path = tmp_path / "grid.toml"
        path.write_text('metrics = ["accuracy"]\neffects = [0.5]\nitems = [9]\nraters = [1]\npopulations = ["dices"]\n')
        assert sweep(path).inputs == (str(path),)
        assert sweep(SMALL).inputs == ()

    def test_settings_name_the_grid_and_its_populations(self, tmp_path: Path) -> None:
        path, ours = tmp_path / "grid.toml", tmp_path / "ours.json"
        ours.write_text('{"kind": "dirichlet", "alpha": [5, 1], "categories": ["no", "yes"]}')
        path.write_text(
            'metrics = ["accuracy"]\neffects = [0.5]\nitems = [9]\nraters = [1]\n'
            f"[populations]\nmine = '{ours}'\nother = 'dices'\n"
        )
        found = sweep(str(path))
        assert found.inputs == (str(path), str(ours))
        assert found.settings["grid"] == str(path)
        named = found.settings["populations"]
        assert (named["mine"]["name"], named["other"]["name"]) == (str(ours), "dices")
        assert named["mine"]["alpha"] == [5.0, 1.0]
        assert FOREST.settings["grid"] == "forest"
        assert SMALL.settings["grid"] is None

    def test_what_the_fit_of_a_population_warned_of_is_said(self, tmp_path: Path) -> None:
        ours = tmp_path / "ours.json"
        ours.write_text('{"population": {"kind": "dirichlet", "alpha": [5, 1]}, "warnings": ["It does not fit."]}')
        found = sweep(Grid({"mine": ours, "dices": "dices"}, ("agreement",), (0.5,), ((9, 9, 1),)))
        assert found.warnings == ("mine: It does not fit.",)
        assert "Warning: mine: It does not fit." in str(found)

    def test_no_workers(self) -> None:
        with pytest.raises(InputError, match="--workers"):
            sweep(SMALL, workers=0)
