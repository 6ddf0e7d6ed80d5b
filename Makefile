# Every target makes its own virtual environment (.venv) and does its own set-up.
# `make demo` and `make test` are all that a newcomer needs.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:
python := .venv/bin/python
setup := @./scripts/setup
export PYTHON

.PHONY: help demo test check coverage no-jit verify verify-smoke bench bench-smoke bench-full docs clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

demo:  ## simulate a confidential table, synthesize it, write card and report to demo-output/
	$(setup) arrow report
	@.venv/bin/understudy demo --out demo-output --force

test:  ## every test (TESTS=tests/gate for one folder)
	$(setup) arrow report evaluate dev
	@$(python) -m pytest -n auto --maxprocesses 4 --dist worksteal $(TESTS)

check:  ## format, lint, types and rooms; fast, repeats no other test
	$(setup) arrow report evaluate dev
	$(python) -m ruff format --check .
	$(python) -m ruff check .
	$(python) -m mypy
	$(python) -m pytest -q tests/test_rooms.py

coverage:  ## fails unless every line of gate/ and privacy/ is run by the tests
	$(setup) arrow report evaluate dev
	$(python) -m pytest -q -n auto --maxprocesses 4 --dist worksteal tests/gate tests/privacy \
		--cov=understudy.gate --cov=understudy.privacy --cov-report=term-missing --cov-fail-under=100

no-jit:  ## the kernels' tests with compilation switched off
	$(setup) arrow report evaluate dev
	NUMBA_DISABLE_JIT=1 $(python) -m pytest -q tests/kernels

verify:  ## slow statistical suites: noise, exact small cases, coverage of intervals
	$(setup) arrow report evaluate dev
	$(python) -m pytest -n auto --maxprocesses 4 verification

verify-smoke:  ## the same suites without their slow parts
	$(setup) arrow report evaluate dev
	$(python) -m pytest -n auto --maxprocesses 4 verification -m "not slow"

bench:  ## speed and quality, at most 20 minutes; tables and JSON in benchmarks/results/
	$(setup) arrow report evaluate dev
	$(python) -m benchmarks

bench-smoke:  ## every benchmark once, at a toy size
	$(setup) arrow report evaluate dev
	$(python) -m benchmarks --smoke

bench-full:  ## full sizes; may take hours
	$(setup) arrow report evaluate dev
	$(python) -m benchmarks --full

docs:  ## run the examples of the documentation, then build it in docs/_build/html
	$(setup) arrow report evaluate dev docs
	$(python) -m pytest -q tests/test_docs.py
	$(python) -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "The documentation is in docs/_build/html/index.html"

clean:  ## remove what these commands made, the virtual environment included
	rm -rf .venv build dist docs/_build docs/reference/generated demo-output benchmarks/results
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
