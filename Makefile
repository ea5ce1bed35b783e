# Slatewise: one command for each thing that is done with the repository.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# Where not even a PATH is set, the system's own one.
ifndef PATH
export PATH := $(shell command -p getconf PATH)
endif

VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

# The interpreter behind the environment: Python 3.11 where it runs, otherwise whatever python3 is.
PYTHON ?= $(shell python3.11 -c '' >/dev/null 2>&1 && echo python3.11 || echo python3)

PIP := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: help install demo test lint types wheel benchmark format lock clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

# Three stamps: the empty environment, what the lock names in it, and the project on top.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit("Slatewise needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.locked: requirements.lock $(VENV)/.created
	@echo 'Installing into $(VENV), once (about a minute) ...'
	@$(PIP) install -qq --require-hashes --no-deps -r requirements.lock
	@touch $@

$(VENV)/.installed: pyproject.toml $(VENV)/.locked
	@$(PIP) install -qq --no-deps --no-build-isolation --editable .
	@$(PIP) check >/dev/null
	@touch $@

install: $(VENV)/.installed ## install everything that the lock names, and the project, into .venv

demo: $(VENV)/.installed ## show the library at work
	@$(BIN)/slatewise demo

test: $(VENV)/.installed ## run all tests, the examples in docstrings and those in *.md
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

lint: $(VENV)/.installed ## check style, formatting and which module may import which
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo

types: $(VENV)/.installed ## check the types with mypy and pyright
	$(BIN)/mypy
	$(BIN)/pyright

wheel: $(VENV)/.installed ## build the wheel and test it where there is no source tree
	@tools/wheel.bash $(BIN)/python

benchmark: $(VENV)/.installed ## measure how long the hot paths take
	@$(BIN)/python -m benchmarks

format: $(VENV)/.installed ## rewrite the files in the house style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

# The lock must be makeable where the present one cannot be installed, so this asks for its own tool alone.
$(BIN)/uv: | $(VENV)/.created
	$(PIP) install -qq $$($(BIN)/python -c 'import tomllib; \
	    print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["lock"])')

lock: $(BIN)/uv ## choose the versions again, within what pyproject.toml allows
	$(BIN)/uv pip compile pyproject.toml --all-extras --group test --group lint --group benchmark --group lock --group build \
	    --universal --python-version 3.11 --upgrade --generate-hashes --system-certs \
	    --no-header --no-annotate --no-emit-index-url --no-emit-find-links --no-emit-package slatewise \
	    --quiet --output-file requirements.lock
	@if grep -nE '://|^-|@ ' requirements.lock; then echo 'the lock names a place' >&2; exit 1; fi

clean: ## remove the environment and whatever was built
	rm -rf $(VENV) build dist .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
