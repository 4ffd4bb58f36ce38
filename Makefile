# Each target sets up .venv by itself; all that is needed is Python 3.11+ and make.
PYTHON ?= python3
BIN := .venv/bin
# PINS="--constraint .ci/requirements-dev.txt" installs the versions that the tests were last run with.
PINS ?=

.PHONY: demo test test-all bounds lint coverage plugin docs links bench benchmarks-page torture wheel audit clean

demo: .venv/ready
	$(BIN)/graphwell demo --out demo

# What every change must pass, in a few minutes; test-all adds what is marked as slow, and bounds.
test: .venv/ready
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

test-all: .venv/ready
	$(BIN)/python -m pytest -n auto --dist worksteal
	$(MAKE) bounds

# The engines and searches once more, with numba looking at every index of the compiled loops.
bounds: .venv/ready
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.venv/bounds $(BIN)/python -m pytest -n auto --dist worksteal -m "not slow" \
		tests/backends/cpu tests/graph tests/solve

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Lines of src that the tests run, without the GPU's and compiled loops; a page in out/coverage. Fails below 95 %.
coverage: .venv/ready
	$(BIN)/python -m pytest -n auto --dist worksteal --cov=graphwell --cov-report=term --cov-report=html:out/coverage

# The plugin for napari, with the real one and no screen, in an environment of its own.
plugin: .venv-plugin/ready
	cd plugins/napari-graphwell && QT_QPA_PLATFORM=offscreen ../../.venv-plugin/bin/python -m pytest

.venv-plugin/ready: pyproject.toml plugins/napari-graphwell/pyproject.toml
	$(PYTHON) -m venv .venv-plugin
	.venv-plugin/bin/python -m pip install --quiet --disable-pip-version-check --editable . --editable "plugins/napari-graphwell[test]"
	touch $@

# The site, in docs/_build/html; every example of the gallery is run.
docs: .venv/docs
	rm -rf docs/api/generated  # pages of names that went
	$(BIN)/python -m sphinx --fail-on-warning --keep-going -b html docs docs/_build/html

# Links to other places; needs the network.
links: .venv/docs
	$(BIN)/python -m sphinx -b linkcheck -D plot_gallery=0 docs docs/_build/links

# The bars on speed and memory; BENCH="few_labels segmentation" measures others, see python -m benchmarks --help.
BENCH ?= sweep fit scale startup peers
bench: .venv/bench
	$(BIN)/python -m benchmarks $(BENCH)

# The tables of README.md and docs/benchmarks.md, from the files of benchmarks/results.
benchmarks-page: .venv/ready
	$(BIN)/python -m benchmarks page

# Attacks of every kind, each a set number of times; HOURS=8 goes on for a night, SEED=1000 makes other attempts.
HOURS ?=
SEED ?= 0
torture: .venv/ready
	$(BIN)/python -m torture $(if $(HOURS),--hours $(HOURS)) --seed $(SEED)

# Bytes that depend on the source alone: two builds of one commit are the same file.
wheel: .venv/ready
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

# Known weaknesses of the pinned packages; needs the network, and says so where there is none.
audit: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pip-audit
	$(BIN)/python -m pip_audit --requirement .ci/requirements-dev.txt --no-deps

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PINS) --editable ".[test]"
	touch $@

.venv/docs: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	touch $@

.venv/bench: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[bench]"
	touch $@

clean:
	rm -rf .venv .venv-plugin demo out reproduction dist docs/_build docs/gallery docs/api/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks torture -name __pycache__ -prune -exec rm -rf {} +
