# Each target sets up .venv by itself; all that is needed is Python 3.11+ and make.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test quick lint bench clean

demo: .venv/ready
	$(BIN)/graphwell demo --out demo

test: .venv/ready
	$(BIN)/python -m pytest

# Leaves out what takes more than two seconds a test.
quick: .venv/ready
	$(BIN)/python -m pytest -m "not slow"

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The bars on speed and memory; BENCH="few_labels segmentation" measures others, see python -m benchmarks --help.
BENCH ?= sweep descent fit scale startup peers
bench: .venv/bench
	$(BIN)/python -m benchmarks $(BENCH)

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@

.venv/bench: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[bench]"
	touch $@

clean:
	rm -rf .venv demo out reproduction dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
