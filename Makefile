# Everything here needs Python 3.11 or later and make; the rest is installed into $(VENV).

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
STAMP := $(VENV)/.installed
# Test processes, one more than cores, since some tests wait; 1 runs them in one process, which is easier to
# debug.
JOBS ?= 3
PYTEST_ARGS ?=
# --full takes the sizes the targets are meant for.
BENCH_ARGS ?=

# Tests start the command hundreds of times: it is compiled once, whatever the caller's shell says.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test lint types layers tests fmt docs site bench install clean

help: ## this list
	@grep -hE '^[a-z]+:.*##' Makefile | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 10

demo: $(STAMP) ## the first screen on bundled sample sessions, and a picture
	@$(BIN)/tracelode demo

test: lint layers ## everything that must hold before a change lands
	@$(MAKE) --no-print-directory -j2 types tests

lint: $(STAMP) ## style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) ## strict types
	$(BIN)/mypy

layers: $(STAMP) ## who may import whom
	$(BIN)/lint-imports --no-logo

tests: $(STAMP) ## the test suite alone; PYTEST_ARGS picks some, PYTEST_ARGS=--slow takes the slow ones as well
	$(BIN)/pytest -n $(JOBS) --dist loadgroup $(PYTEST_ARGS)

fmt: $(STAMP) ## format and fix what can be fixed
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

docs: $(STAMP) ## write the generated pages, the help text and the picture of the README again
	$(PY) tools/gen_docs.py
	$(PY) tools/picture.py

site: $(STAMP) ## the documentation as a site in build/site, to be opened from there
	@$(PY) tools/site.py

bench: $(STAMP) ## time the parts that have a target
	$(PY) benchmarks/all.py $(BENCH_ARGS)

install: $(STAMP) ## the environment alone

clean: ## remove the environment, caches and build output
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# Installed again only when the project's metadata changes.
$(STAMP): pyproject.toml tools/dev_requirements.py
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else \
	  "tracelode needs Python 3.11 or later, but $(PYTHON) is " + sys.version.split()[0] + "; try: make PYTHON=python3.12")'
	@echo "installing into $(VENV)"
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install -qq --disable-pip-version-check -e . $$($(PY) tools/dev_requirements.py)
	@touch $@
