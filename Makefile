# Everything a person or a machine does with this checkout. `make` alone lists it.
# Needs make, a package index and Python 3.11 or later with venv; the rest is installed in $(VENV).

PYTHON ?= python3
PYTHON_OLDEST ?= $(PYTHON)
VENV ?= .venv
VENV_OLDEST ?= .venv-oldest
VENV_WHEEL ?= .venv-wheel
VENV_STORES ?= .venv-stores
JOBS ?= logical
ARGS ?=

BIN := $(VENV)/bin
PY := $(BIN)/python
READY := $(VENV)/.installed
READY_OLDEST := $(VENV_OLDEST)/.installed
READY_STORES := $(VENV_STORES)/.installed
# One stands for all: `make stubs` writes them together.
STUBS := marsdask/tensor/__init__.pyi
EXTRAS := test,demo,plot,xarray,kubernetes,uvloop
# Processes of tests: one per core, but not dozens; a session of its own in each would be slow.
PARALLEL := -n $(JOBS) --maxprocesses=8
# What `make check` calls a change: what differs from this.
SINCE ?= $(shell git rev-parse --verify --quiet origin/main >/dev/null && git merge-base HEAD origin/main || echo main)
ANY_VERSION := (oldest or not processes) and not (kubernetes or mypy or once)

.DEFAULT_GOAL := help
.PHONY: help setup setup-oldest browser kubernetes-node test test-fast test-processes test-stores soak test-oldest test-kubernetes kubernetes-figures kubernetes-soak check test-changed lint format types types-package imports docs coverage-page stubs \
	generated-check bench bench-compare demo build test-wheel clean

help:  ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo 'Variables: PYTHON=$(PYTHON)  VENV=$(VENV)  JOBS=$(JOBS)  ARGS="more arguments for pytest, or for the program"'

## Setting up

setup: $(STUBS)  ## install everything in .venv (the other commands do it when needed)
	@echo 'Ready: $(VENV)'

setup-oldest: $(READY_OLDEST)  ## the same in .venv-oldest, with the oldest versions we support
	@echo 'Ready: $(VENV_OLDEST)'

# $(1): environment, $(2): groups of pyproject.toml, $(3): Python
define install
	@command -v $(3) >/dev/null || { echo 'There is no $(3). Install Python 3.11 or later, or name it: make PYTHON=/path/to/python3.11' >&2; exit 1; }
	@$(3) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and f"Python 3.11 or later is needed, $(3) is {v[0]}.{v[1]}. Try: make PYTHON=python3.11")'
	@$(3) -c 'import ensurepip, venv' || { echo 'No virtual environment could be made with $(3). On Debian and Ubuntu: apt-get install python3-venv' >&2; exit 1; }
	@test -x $(1)/bin/python || $(3) -m venv $(1)
	@$(1)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@echo 'Installing in $(1), which takes a minute the first time ...'
	@HATCH_BUILD_NO_HOOKS=true $(1)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]' $(2)
	@touch $(1)/.installed
endef

$(READY): pyproject.toml
	$(call install,$(VENV),--group dev,$(PYTHON))
	@$(PY) -m pip install --quiet --disable-pip-version-check --group google

$(READY_STORES): pyproject.toml
	$(call install,$(VENV_STORES),,$(PYTHON))
	@$(VENV_STORES)/bin/python -m pip install --quiet --disable-pip-version-check --group s3

$(READY_OLDEST): pyproject.toml
	$(call install,$(VENV_OLDEST),--group oldest,$(PYTHON_OLDEST))

browser:  ## chromium and its driver, for the test of the dashboard; as root on Debian and Ubuntu
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null \
		|| { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium chromium-driver >/dev/null; } \
		|| echo 'There is no chromium with chromedriver, and none could be installed: its test will be skipped'

## Tests

test: $(READY)  ## the tests, the code blocks of the docs and the docstrings' examples; without what starts clusters
	$(PY) -m pytest $(PARALLEL) $(ARGS)

test-processes: $(READY)  ## the tests that start schedulers, workers and commands; several groups of them side by side
	$(PY) -m pytest -n auto -m 'processes and not kubernetes' $(ARGS)

soak: $(READY)  ## random jobs beside their twins while workers, schedulers, disks and files fail, for MINUTES=15; SEED=... again
	$(PY) -m tests.faults.soak --minutes $(or $(MINUTES),15) $(if $(SEED),--seed $(SEED))

test-fast: $(READY)  ## the tests without the slow ones and without worker processes
	$(PY) -m pytest $(PARALLEL) -m 'not slow and not processes and not kubernetes and not mypy' $(ARGS)

test-stores: $(READY_STORES)  ## the durable map on S3, by a server on this machine; in an environment of its own, with an older kubernetes
	$(VENV_STORES)/bin/python -m pytest -m processes -k s3 tests/test_durable_stores.py $(ARGS)

test-oldest: $(READY_OLDEST)  ## the tests that a version can change, one in three of each long table, with the oldest versions we support
	MARSDASK_TEST_LAYOUTS=empty $(VENV_OLDEST)/bin/python -m pytest $(PARALLEL) --every=3 -m '$(ANY_VERSION)' $(ARGS)

kubernetes-node: $(READY)  ## what the tests on Kubernetes need: packages, programs, the image; kept for the next time
	$(PY) -m tests.kubernetes.node build

test-kubernetes: kubernetes-node  ## the tests on real Kubernetes nodes that are started for them, or on the cluster of MARSDASK_TEST_KUBECONFIG
	$(PY) -m tests.kubernetes $(ARGS)

kubernetes-figures: kubernetes-node  ## what clusters take beyond what Kubernetes does, on a node that is started for it
	$(PY) -m tests.kubernetes.node run -- $(PY) -m tests.kubernetes.cluster_figures

kubernetes-soak: kubernetes-node  ## WORKERS=50 on such a node for MINUTES=60, while pods are killed and evicted and the size changes; SEED=... again
	$(PY) -m tests.kubernetes.node run -- $(PY) -m tests.kubernetes.soak --minutes $(or $(MINUTES),60) --workers $(or $(WORKERS),50) $(if $(SEED),--seed $(SEED))

## Checks

check: $(READY)  ## lint, types, imports and the tests of what changed since SINCE, side by side; a minute
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target --keep-going lint types-package imports test-changed

test-changed: $(READY)  ## the tests of what changed since SINCE, by the graph of imports
	$(PY) -m pytest -q $(PARALLEL) -p tests.changed --since $(SINCE) $(ARGS); code=$$?; [ $$code = 0 ] || [ $$code = 5 ]

lint: $(READY)  ## ruff: rules and format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format: $(READY)  ## let ruff mend what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: types-package  ## mypy, of the package and of programs that use it
	$(PY) -m pytest -q -m mypy tests/test_stubs.py

types-package: $(STUBS)
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

stubs: $(STUBS)  ## write the .pyi files from the registry, if the package or the oracle's cases changed

$(STUBS): $(READY) $(shell find marsdask tests/cases tools -name '*.py')
	$(PY) -m tools.stubs

generated-check: $(READY)  ## fail if a page is stale, or a public name has no row
	$(PY) -m tools.generated_check

## Programs

demo: $(READY)  ## the main job: a year of New York's flights, tables and a chart
	$(PY) docs/examples/flights.py $(ARGS)

bench: $(READY)  ## measure; prints ratios against Dask, NumPy and pandas from one run, and keeps them
	$(PY) -m tests.benchmarks --json .benchmarks/last.json $(ARGS)

bench-compare: $(READY)  ## measure and say what changed since the last `make bench`
	$(PY) -m tests.benchmarks --compare .benchmarks/last.json $(ARGS)

build: $(READY)  ## the wheel and the source archive, in dist/
	rm -f dist/marsdask-*  # what is for the image stays: it may be in use
	$(PY) -m build --outdir dist

test-wheel: build  ## the wheel imports and works in a fresh environment without any extra
	rm -rf $(VENV_WHEEL)
	$(PYTHON) -m venv $(VENV_WHEEL)
	$(VENV_WHEEL)/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	test -s $(VENV_WHEEL)/lib/python3*/site-packages/marsdask/tensor/__init__.pyi
	cd $(VENV_WHEEL) && bin/python -W error -c 'import marsdask.tensor as mt, marsdask.dataframe as md; \
		assert mt.ones(3).sum().execute().fetch() == 3; print("The wheel works")'

clean:  ## remove build results and caches; the environments stay
	rm -rf build dist docs/_build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find marsdask tests docs tools -name __pycache__ -type d -prune -exec rm -rf {} +
