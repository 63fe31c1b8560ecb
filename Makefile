# The verbs of this repo. `make run` and `make test` do all the set-up they need; a second call takes under a second.
SHELL := /bin/bash
PYTHON := .venv/bin/python
STAMPS := .venv/.stamps
KERNELS := $(wildcard src/ottla/records/kernels/kernel_*.py)

.PHONY: setup setup-test run demo test test-long lint format bench clean

setup: $(STAMPS)/core
setup-test: $(STAMPS)/test

$(STAMPS)/core: pyproject.toml setup.py constraints.txt scripts/setup_core.sh $(KERNELS)
	scripts/setup_core.sh
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/test: $(STAMPS)/core $(wildcard scripts/setup_*.sh tests/peers/*/*)
	scripts/setup_test.sh
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/lint: $(STAMPS)/core
	$(PYTHON) -m pip install -q --disable-pip-version-check -e '.[lint,test]' -c constraints.txt
	@mkdir -p $(STAMPS) && touch $@

run: $(STAMPS)/core
	@.venv/bin/ottla start --tour $(ARGS)

# Spark needs Java: where there is none, a wheel brings it.
$(STAMPS)/demo: $(STAMPS)/core
	$(PYTHON) -m pip install -q --disable-pip-version-check -c constraints.txt \
	    -e ".[spark,lake$$(command -v java >/dev/null || echo ,java)]"
	@mkdir -p $(STAMPS) && touch $@

# Under three minutes, nothing from the network once it is set up. ARGS="--events 500000" for more.
demo: $(STAMPS)/demo
	@$(PYTHON) -m demo $(ARGS)

test: $(STAMPS)/test
	$(PYTHON) -m pytest -m "not long" $(ARGS)

test-long: $(STAMPS)/test
	$(PYTHON) -m pytest -m "long" --timeout 1800 $(ARGS)

# QUICK=1: under five minutes. CASES="one-record latency": only cases whose names have one of these words.
# AGAINST=REV: beside an earlier commit instead of Kafka.
bench: $(STAMPS)/test
	$(PYTHON) -m bench $(if $(QUICK),--quick) $(if $(CASES),--cases $(CASES)) $(if $(AGAINST),--against $(AGAINST)) $(ARGS)

lint: $(STAMPS)/lint
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports

format: $(STAMPS)/lint
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

clean:
	rm -rf .venv build data .pytest_cache .mypy_cache .ruff_cache .hypothesis
