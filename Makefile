# failcast: each target sets up what it needs in .venv; nothing outside this folder is touched
# but pip's own download cache.
#   make run     simulate AIReSim's Table 1 scenario
#   make test    all tests
#   make check   lint, format, types, house rules
#   make bench   measure what all of it costs, beside the last release (five minutes)
#   make clean   remove .venv and caches

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
unexport PYTHONPATH
.PHONY: help run test check bench clean

BIN := .venv/bin
READY := .venv/.ready
DEV_READY := .venv/.dev-ready
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_CONSTRAINT=constraints.txt \
	PIP_BUILD_CONSTRAINT=constraints.txt $(BIN)/python -m pip install -q -c constraints.txt

help:
	@sed -n 's/^#   //p' Makefile

run: $(READY)
	@$(BIN)/failcast run airesim-table1 --replications 200

test: $(DEV_READY)
	@$(BIN)/python -m pytest -n 2 --durations=10

check: $(DEV_READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --strict src
	@$(BIN)/python -m pytest -q tests/test_house.py

bench: $(READY)
	@$(BIN)/python -m benchmarks

clean:
	rm -rf .venv .pytest_cache .ruff_cache .mypy_cache .hypothesis build dist
	find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +

# The first Python that runs and is new enough makes the environment.
$(BIN)/python:
	@found=; for name in python3.11 python3 python3.12 python3.13 python3.14; do \
		if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
			found=$$name; break; fi; done; \
	if [ -z "$$found" ]; then \
		echo "failcast needs Python 3.11 or newer, and neither python3.11 nor python3 is that:" \
			"install it (for example 'apt install python3.11 python3.11-venv') and try again." >&2; \
		exit 1; fi; \
	echo "Setting up .venv with $$($$found --version) ..." >&2; \
	if ! $$found -m venv .venv; then rm -rf .venv; \
		echo "$$found cannot make a virtual environment: install its venv module (for example" \
			"'apt install python3-venv') and try again." >&2; exit 1; fi

$(READY): $(BIN)/python pyproject.toml constraints.txt
	@echo "Installing failcast and its libraries into .venv ..." >&2
	@$(PIP) -e .
	@echo "Compiling the simulation kernel, once ..." >&2
	@$(BIN)/python -c 'from failcast.engine.warm import compile_kernel; compile_kernel()'
	@touch $@

$(DEV_READY): $(READY)
	@echo "Installing the tools for tests and checks into .venv ..." >&2
	@$(PIP) -e '.[dev]'
	@touch $@
