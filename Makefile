# `make demo` and `make test` are all it takes; both make the environment in .venv first.
PYTHON ?= python3
BIN := .venv/bin
# Processes of the test suite: more than cores, since each waits some of its time; three are faster than four on two cores.
JOBS ?= 3
# The folders whose slow tests `make test-slow` runs.
SLOW ?= tests
# How long `make fuzz` looks.
INPUTS ?= 100000
SECONDS ?= 600

PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --durations 10 --hypothesis-profile ci

.PHONY: demo test test-slow bench fuzz extras clean

# About 90 seconds on two quiet cores, with the installation.
demo: .venv/run collections/pydoc-site
	$(BIN)/thresher explore experiments/pydoc-site.toml --quiet
	$(BIN)/thresher choose experiments/pydoc-site.toml --quiet
	$(BIN)/thresher run experiments/pydoc-site.toml --chosen --seconds 5
	@echo
	@echo 'Next, your own pages, for example in pages/: $(BIN)/thresher advise pages/'

# The pages of Python's standard library: 22 MB.
collections/pydoc: | .venv/run
	$(BIN)/python scripts/pydoc_pages.py $@

# The same pages in an invented site, as documentation on the web has it: 29 MB.
collections/pydoc-site: collections/pydoc
	$(BIN)/python scripts/pydoc_site.py $< $@

# All but the slow tests, in some four minutes on two cores. Property tests have the same examples every time. Compiled files
# are kept even where a shell says not to keep any: the suite starts hundreds of processes. Types are checked beside the tests,
# as mypy uses one core and tests wait at times. Tests that have changed are compiled once before, rather than by each process.
test: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy & types=$$!; \
	test -e .venv/tests && test -z "$$(find tests -name '*.py' -newer .venv/tests)" || \
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --collect-only > /dev/null && touch .venv/tests; \
	$(PYTEST) -m 'not slow'; \
	tests=$$?; wait $$types && exit $$tests

# What takes long: kills, full disks, clusters, whole collections, comparisons with other tools; all of it before what is handed
# in. Only files that have such tests are collected.
test-slow: .venv/dev
	$(PYTEST) -m slow $$(grep -rl --include='*.py' 'mark\.slow' $(SLOW))

# NAME is one benchmark, such as index; PAGES any folder of HTML pages. Compiled files are kept, as installed packages have them.
bench: .venv/dev collections/pydoc
	PYTHONDONTWRITEBYTECODE= $(BIN)/python scripts/benchmarks/run.py $(NAME) $(if $(PAGES),--pages $(PAGES))

# Damaged inputs for all readers, then property tests, for SECONDS with other examples each time.
fuzz: .venv/dev
	$(BIN)/python scripts/fuzz.py --inputs $(INPUTS) --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# Each extra in an environment of its own, which takes minutes and the network; EXTRAS="markdown dask" tries some.
extras: .venv/run
	$(BIN)/python scripts/extras.py $(EXTRAS)

clean:
	rm -rf .venv results collections/pydoc
	find indexes -mindepth 1 ! -name README.md -delete

.venv/run: requirements/run.lock pyproject.toml
	$(PYTHON) scripts/check_python.py
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --no-deps --require-hashes -r requirements/run.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

.venv/dev: .venv/run requirements/dev.lock
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --no-deps --require-hashes -r requirements/dev.lock
	touch $@
