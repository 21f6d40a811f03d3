PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo app test studies slow scale dask lint bench docs package clean

setup: .venv/ready  ## create .venv and install quorate into it, with all that tests and lint need

.venv/quorate: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "quorate needs Python 3.11 or newer: make PYTHON=python3.12 setup")'
	@echo "Installing quorate into .venv; this takes about a minute."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

.venv/ready: .venv/quorate
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@

.venv/pages: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[docs,images,browser]" \
		&& touch $@ || echo "not all of mkdocs, kaleido and playwright could be had: their tests are skipped"

demo: .venv/quorate  ## describe a bundled pilot, plan the next study from it, and write the report
	$(BIN)/quorate describe example:support
	$(BIN)/quorate plan --quiet example:support example:support-answers --difference 0.05 -o report.html
	@echo; echo "The plan is also a page to pass on: open report.html in a browser."

app: .venv/ready  ## every question in a browser, on this machine
	$(BIN)/quorate app

test: .venv/pages  ## the default tests, about 5 minutes on 2 idle cores
	$(BIN)/python -m pytest -n 3 --dist worksteal -rs

studies: setup  ## the statistical tests with larger studies and in more worlds, and what else takes longer: about 5 minutes
	QUORATE_STUDIES=1 $(BIN)/python -m pytest -n 2 --dist worksteal -rs tests/statistical tests/golden tests/hostile/test_text_tables.py tests/unit/data/test_read_ratings_roundtrip.py

slow: setup  ## the long tests, with the reference engine and the peers they compare with
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,nuts,peers]"
	$(BIN)/python -m pytest tests/slow

.venv/scale: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,scale]"
	@command -v java >/dev/null || { command -v apt-get >/dev/null && apt-get update -qq >/dev/null \
		&& apt-get install -y -qq --no-install-recommends default-jre-headless >/dev/null; } || echo "no Java: Spark's tests are skipped"
	touch $@

scale: .venv/scale  ## every question of tables wherever they lie: a real Dask cluster, a real Spark, DuckDB and others beside polars, about five minutes
	$(BIN)/python -m pytest -n 0 -rs tests/scale

dask: setup  ## the same without Spark, whose tests are skipped and say why
	$(BIN)/python -m pytest -n 0 -rs tests/scale

lint: setup  ## ruff and mypy, strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: setup  ## each verb beside a plain reference implementation
	$(BIN)/python -m benchmarks

docs: .venv/pages  ## the pages, into site/; their commands, and all pages and the app in a browser
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	$(BIN)/python -m pytest -n 2 --dist worksteal -rs tests/pages

package: setup  ## tests from the unpacked sdist, and every verb with the lowest versions that are allowed
	rm -rf .venv/package && mkdir -p .venv/package
	$(BIN)/python -m build --no-isolation --outdir .venv/package . >.venv/package/build.log || { cat .venv/package/build.log; exit 1; }
	tar -xzf .venv/package/quorate-*.tar.gz -C .venv/package
	cd .venv/package/quorate-*/ && ../../bin/python -m pytest -n 0 -q tests/unit/results tests/unit/data tests/test_structure.py
	@if $(BIN)/python -c 'import sys; sys.exit(sys.version_info >= (3, 13))'; then \
		$(PYTHON) -m venv .venv/lowest && .venv/lowest/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-lowest.txt .venv/package/quorate-*.whl \
		&& $(BIN)/python tests/packaging/smoke.py .venv/lowest/bin; \
	else echo "lowest versions are not tried: they have no wheels for this Python"; fi

clean:
	rm -rf .venv site report.html
