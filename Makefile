# `make` lists the targets. The first that needs it creates .venv and installs the project there.
#
#   ARGS      goes to the command of the target:  make train ARGS="--minutes 1"
#   PYTHON    creates .venv:                      make test PYTHON=python3.12
#   PYTHONS   are tried by make compat:          make compat PYTHONS="3.12 3.13"  (one that is missing is left out)
#   PIP_ARGS  goes to pip:                        make train PIP_ARGS="--extra-index-url URL"  (say, of CPU builds of torch)

PYTHON ?= python3
PYTHONS ?= 3.11 3.12 3.13 3.14
ARGS ?=
PIP_ARGS ?=

BIN := .venv/bin
READY := .venv/.ready
DOCS_READY := .venv/.docs
PEERS := .compat/peers/bin
PEERS_READY := .compat/peers/.ready
COMPAT := $(patsubst tests/compat/%.txt,.compat/%/.ready,$(wildcard tests/compat/*.txt))
NEWEST := $(addprefix newest-,$(PYTHONS))
COMPAT_PIP = .compat/$*/bin/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) \
	-c .compat/$*/constraints.txt

.PHONY: help play train warmup test plain coverage bounds lint docs bench peers compat clean $(NEWEST)
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

play: $(READY) ## open the table in the browser: play against agents, alone or with others
	@$(BIN)/python -m dunaia_env.table $(ARGS)

# In few minutes a network learns most if it imitates greedy first and learns from each decision several times.
train: $(READY) ## train an agent for about five minutes, by imitation, then self-play; then play it against random and greedy
	@$(BIN)/python -m training.ppo --imitate greedy --lanes 256 --minibatches 16 --epochs 3 --certain-share 0.25 \
		--first-width 256 --width 64 --learning-rate 0.001 --score-weight 0.25 --entropy 0.005 --entropy-end 0.001 $(ARGS)

# Given the variables of the environment under which to compile.
define WARM_UP
@$(1) $(BIN)/python -m dunaia_env.warmup
@$(1) $(BIN)/python -m dunaia_env.warmup --game dune
endef

warmup: $(READY) ## compile both games ahead, without and with checked indices
	$(call WARM_UP)
	$(call WARM_UP,NUMBA_BOUNDSCHECK=1)

test: $(READY) ## run the tests, without the slow and the long ones
	$(call WARM_UP)
	@$(BIN)/python -m pytest -n 2 -m "not slow and not long" $(ARGS)

plain: $(READY) ## run the tests of game and environments without compilation, but for those that play too much
	@NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -m "not slow and not compiled and not once" $(ARGS)

# Coverage does not see inside compiled kernels, which `pyproject.toml` leaves out of it.
coverage: $(READY) ## run the tests in two parts, the second of them make bounds; fail if they leave too much of the code out
	$(call WARM_UP)
	@$(BIN)/python -m pytest -n 2 -m "once and not slow" --cov --cov-report= --cov-fail-under=0 $(ARGS)
	@$(MAKE) --no-print-directory bounds ARGS="--cov --cov-append $(ARGS)"

bounds: export NUMBA_BOUNDSCHECK = 1
bounds: $(READY) ## run the tests that play with every index of compiled code checked
	$(call WARM_UP)
	@$(BIN)/python -m pytest -n 2 -m "not slow and not once" $(ARGS)

lint: $(READY) ## check style, formatting and types
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check .
	@$(BIN)/python -m mypy

# Without the network. External links: make docs ARGS="-b linkcheck"
docs: $(DOCS_READY) ## build the documentation site in docs/_build/html; every warning is an error
	@$(BIN)/python -m sphinx -b html -q -W --keep-going -c docs -d docs/_build/doctrees . docs/_build/html $(ARGS)
	@echo "Built docs/_build/html/index.html"

bench: $(READY) ## measure the speed of the engine
	@$(BIN)/python -m benchmarks.engine $(ARGS)

peers: $(PEERS_READY) ## measure the environment beside other projects' games
	@$(PEERS)/python -m benchmarks.peers $(ARGS)

compat: $(READY) $(COMPAT) .compat/oldest/.ready $(NEWEST) ## try several Pythons, oldest and newest versions, and the libraries that take the environment
	@$(BIN)/python -m tests.compat.run $(ARGS)

clean: ## remove .venv, caches, the built site and packages; runs/ stays
	rm -rf .venv .compat dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage htmlcov docs/_build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

define NEW_ENOUGH
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	echo "Python 3.11 or newer is needed; '$(PYTHON) --version' says: $$($(PYTHON) --version 2>&1)." \
		"Name another one, as in: make PYTHON=python3.12" >&2; exit 1; }
endef

# Made again when the requirements change. An existing .venv is kept, and with it a torch that was put there first.
$(READY): pyproject.toml constraints.txt
	@$(NEW_ENOUGH)
	@echo "Installing the project and what it needs into .venv; the first time this takes a minute or two ..."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) -c constraints.txt -e ".[train,dev]"
	@touch $@

# The tests do not need it, so `make test` does not wait for it.
$(DOCS_READY): $(READY)
	@echo "Installing what builds the documentation into .venv ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) -c constraints.txt -e ".[docs]"
	@touch $@

# catanatron-gym asks for exactly gymnasium 0.29.1, which PettingZoo does not take, but plays with newer ones.
$(PEERS_READY): pyproject.toml constraints.txt benchmarks/peers.txt
	@$(NEW_ENOUGH)
	@echo "Installing the project and what it is compared with into .compat/peers; this takes a minute or two ..."
	@$(PYTHON) -m venv .compat/peers
	@$(PEERS)/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) \
		-c constraints.txt -r benchmarks/peers.txt -e .
	@$(PEERS)/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) --no-deps catanatron-gym==4.0.0
	@touch $@

# The versions of constraints.txt, but for the packages whose versions tests/compat/NAME.txt names. Torch comes first, where
# it is asked for, so that no library brings another one.
.compat/%/.ready: tests/compat/%.txt constraints.txt pyproject.toml
	@$(NEW_ENOUGH)
	@echo "Installing the project and $* into .compat/$*; this takes a minute or two ..."
	@$(PYTHON) -m venv .compat/$*
	@awk -F '[][=]+' 'NR == FNR { if (/==/) own[$$1]; next } !($$1 in own)' $< constraints.txt > .compat/$*/constraints.txt
	@! grep -q '^torch$$' $< || $(COMPAT_PIP) torch
	@$(COMPAT_PIP) -r $< -e .
	@touch $@

# Nothing of constraints.txt: what is not asked for directly comes in the version that fits the oldest ones.
.compat/oldest/.ready: tests/compat/bounds.py pyproject.toml $(READY)
	@echo "Installing the project with the oldest versions that it allows into .compat/oldest ..."
	@python3.11 -m venv .compat/oldest
	@$(BIN)/python -m tests.compat.bounds > .compat/oldest/constraints.txt
	@.compat/oldest/bin/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) \
		-c .compat/oldest/constraints.txt -e ".[train,dev]"
	@touch $@

# Every time, because new versions come out. `python3.N -c ""` fails where only a version manager knows the name, too.
$(NEWEST): newest-%:
	@if python$* -c "" 2>/dev/null; then \
		echo "Installing the project with the newest versions that it allows into .compat/$@ ..."; \
		{ [ -x .compat/$@/bin/python ] || python$* -m venv .compat/$@; } && \
		.compat/$@/bin/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) \
			--upgrade --upgrade-strategy eager -e ".[train,dev]"; \
	else \
		echo "$@ is left out: this machine has no python$*"; \
	fi
