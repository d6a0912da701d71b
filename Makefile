# Everything a person or a machine does with this checkout. `make` alone lists it.
# Needs make, a package index and Python 3.11 or later with venv; the rest is installed in $(VENV).

PYTHON ?= python3
VENV ?= .venv
VENV_OLDEST ?= .venv-oldest
VENV_WHEEL ?= .venv-wheel
JOBS ?= logical
ARGS ?=

BIN := $(VENV)/bin
PY := $(BIN)/python
READY := $(VENV)/.installed
READY_OLDEST := $(VENV_OLDEST)/.installed
EXTRAS := test,demo,plot,xarray,kubernetes,uvloop
# Processes of tests: one per core, but not dozens; a session of its own in each would be slow.
PARALLEL := -n $(JOBS) --maxprocesses=8
NO_PYTHON = There is no $(PYTHON). Install Python 3.11 or later, or name it: make PYTHON=/path/to/python3.11
NO_VENV = No virtual environment could be made with $(PYTHON). On Debian and Ubuntu: apt-get install python3-venv

.DEFAULT_GOAL := help
.PHONY: help setup test test-fast test-oldest test-larger test-kubernetes lint format types imports docs coverage-page stubs \
	generated-check bench bench-compare demo build test-wheel clean

help:  ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo 'Variables: PYTHON=$(PYTHON)  VENV=$(VENV)  JOBS=$(JOBS)  ARGS="more arguments for pytest, or for the program"'

## Setting up

setup: $(READY)  ## install everything in .venv (the other commands do it when needed)
	@echo 'Ready: $(VENV)'

# $(1): environment, $(2): groups of pyproject.toml
define install
	@command -v $(PYTHON) >/dev/null || { echo '$(NO_PYTHON)' >&2; exit 1; }
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and f"Python 3.11 or later is needed, $(PYTHON) is {v[0]}.{v[1]}. Try: make PYTHON=python3.11")'
	@$(PYTHON) -c 'import ensurepip, venv' || { echo '$(NO_VENV)' >&2; exit 1; }
	@test -x $(1)/bin/python || $(PYTHON) -m venv $(1)
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@echo 'Installing in $(1), which takes a minute the first time ...'
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]' $(2)
	@touch $(1)/.installed
endef

$(READY): pyproject.toml
	$(call install,$(VENV),--group dev)

$(READY_OLDEST): pyproject.toml
	$(call install,$(VENV_OLDEST),--group oldest)

## Tests

test: $(READY)  ## all tests, the code blocks of the docs and the docstrings' examples
	$(PY) -m pytest $(PARALLEL) $(ARGS)

test-fast: $(READY)  ## the tests without the slow ones and without worker processes
	$(PY) -m pytest $(PARALLEL) -m 'not slow and not cluster and not kubernetes' $(ARGS)

test-oldest: $(READY_OLDEST)  ## all tests with the oldest versions we support, in an environment of its own
	$(VENV_OLDEST)/bin/python -m pytest $(PARALLEL) $(ARGS)

test-kubernetes: $(READY)  ## the tests on a real Kubernetes node that is started for them, or on the cluster of MARSDASK_TEST_KUBECONFIG
	$(PY) -m tests.kubernetes.node run -- $(PY) -m pytest -m kubernetes -rs tests/kubernetes $(ARGS)

test-larger: $(READY)  ## sort and merge three times as much as a worker's memory, on two directories; minutes
	$(PY) -m tests.spill.larger $(ARGS)

## Checks

lint: $(READY)  ## ruff: rules and format; no file too long
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(PY) tools/long_files.py

format: $(READY)  ## let ruff mend what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: $(READY)  ## mypy
	$(BIN)/mypy

imports: $(READY)  ## the import contract: rooms import only downwards
	$(BIN)/lint-imports --no-logo

docs: $(READY)  ## build the pages in docs/_build; a warning is an error
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --fresh-env docs docs/_build
	@echo 'Built docs/_build/index.html'

## What is written by the registry

coverage-page: $(READY)  ## write docs/coverage.md from the registry, docs/options.md from the options
	$(PY) -m marsdask ops --write docs/coverage.md
	$(PY) -m marsdask options --write docs/options.md

stubs: $(READY)  ## write the .pyi files from the registry
	$(PY) -m tools.stubs

generated-check: $(READY)  ## fail if a page or a stub is stale, or a public name has no row
	$(PY) -m tools.generated_check

## Programs

demo: $(READY)  ## the main job: a year of New York's flights, tables and a chart
	$(PY) docs/examples/flights.py $(ARGS)

bench: $(READY)  ## measure; prints ratios against Dask, NumPy and pandas from one run, and keeps them
	$(PY) -m tests.benchmarks --json .benchmarks/last.json $(ARGS)

bench-compare: $(READY)  ## measure and say what changed since the last `make bench`
	$(PY) -m tests.benchmarks --compare .benchmarks/last.json $(ARGS)

build: $(READY)  ## the wheel and the source archive, in dist/
	rm -rf dist
	$(PY) -m build --outdir dist

test-wheel: build  ## the wheel imports and works in a fresh environment without any extra
	rm -rf $(VENV_WHEEL)
	$(PYTHON) -m venv $(VENV_WHEEL)
	$(VENV_WHEEL)/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd $(VENV_WHEEL) && bin/python -W error -c 'import marsdask.tensor as mt, marsdask.dataframe as md; \
		assert mt.ones(3).sum().execute().fetch() == 3; print("The wheel works")'

clean:  ## remove build results and caches; the environments stay
	rm -rf build dist docs/_build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find marsdask tests docs tools -name __pycache__ -type d -prune -exec rm -rf {} +
