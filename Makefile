PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test slow lint bench docs clean

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
	$(BIN)/quorate plan --quiet --from example:support --with example:support-answers --difference 0.05 -o report.html
	@echo; echo "The plan is also a page to pass on: open report.html in a browser."

test: .venv/pages  ## the default tests, about 5 minutes on 2 cores
	$(BIN)/python -m pytest -n 2

slow: setup  ## the long tests, with the reference engine and the peers they compare with
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,nuts,peers]"
	$(BIN)/python -m pytest tests/slow

lint: setup  ## ruff and mypy, strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: setup  ## each verb beside a plain reference implementation
	$(BIN)/python -m benchmarks

docs: .venv/pages  ## the pages, into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

clean:
	rm -rf .venv site report.html
