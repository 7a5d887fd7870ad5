# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# The interpreter, Python 3.11 or newer, decides the ansible-core version: pip takes the newest that supports it.
PYTHON ?= python3
VENV_OF = $(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11 $(MAKECMDGOALS)")' \
  && $(PYTHON) -m venv
VENV ?= .venv
CACHE := .cache
STAMP := $(VENV)/.setup-stamp
LINK := $(CACHE)/ansible_collections/hosting/reseller

BIN := $(abspath $(VENV))/bin
export PATH := $(BIN):$(PATH)
export ANSIBLE_CONFIG := $(CURDIR)/tests/ansible.cfg
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Hundreds of processes are started, and each would compile everything again.
unexport PYTHONDONTWRITEBYTECODE

# pip says nothing unless it fails. What is never imported is not compiled.
PIP_INSTALL := python -m pip install -qq --no-compile

.PHONY: help
help:  ## Show this list
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do printf '  %-14s %s\n' "$$name" "$$text"; done

.PHONY: setup
setup: $(STAMP) $(LINK)  ## Make the virtual environment and the link that Ansible finds the collection by

# CORE=2.20, or CORE=devel: another ansible-core than the newest that fits.
CORE_WANTED := $(if $(filter devel,$(CORE)),'ansible-core @ https://github.com/ansible/ansible/archive/devel.tar.gz',$(if $(CORE),'ansible-core~=$(CORE).0'))

$(STAMP): requirements.txt requirements-postgresql.txt tests/requirements.txt tests/requirements-test.txt tests/requirements-lint.txt tests/unit/requirements.txt
	@echo "Installing what the tests need into $(VENV), once: two minutes, and more on a slow machine"
	@$(VENV_OF) $(VENV)
	@$(BIN)/$(PIP_INSTALL) -r tests/requirements.txt $(CORE_WANTED)
	@touch $@

# Only the tests need it. It comes out of one large package.
AWX := $(CACHE)/awx/ansible_collections/awx/awx
$(AWX): | $(STAMP)
	@echo "Fetching the collection awx.awx into $(CACHE)/awx, once"
	@$(BIN)/python -m tests.support.awx $(CACHE)/awx

# Services made with real frameworks, in environments of their own; those for Node only where npm is found.
SERVICES := $(CACHE)/services/.stamp
NODE_SERVICES := $(CACHE)/services-node/.stamp
$(SERVICES): tests/services/requirements.txt
	@echo "Installing a web framework into $(CACHE)/services, once"
	@$(VENV_OF) $(CACHE)/services
	@$(CACHE)/services/bin/$(PIP_INSTALL) -r $<
	@touch $@

$(NODE_SERVICES): tests/services/node/package.json
	@mkdir -p $(@D) && cp $< $(@D)
	@if command -v npm >/dev/null; then npm install --prefix $(@D) --no-audit --no-fund --loglevel=error && touch $@; \
	else echo "npm was not found: the service made with NestJS is not tested"; fi

$(LINK):
	@mkdir -p $(@D)
	@ln -sfn ../../.. $@

# What only some tests need is installed beside the rest.
.PHONY: all-setup
all-setup:
	@$(MAKE) --silent --no-print-directory --jobs 3 $(STAMP) $(LINK) $(AWX) $(SERVICES)

# --- Trying out ---------------------------------------------------------------------------------------------------------

# What the tests need has all that this needs; without that, only this is installed.
DEMO := $(CACHE)/demo
$(DEMO)/.stamp: demo/requirements.txt
	@echo "Installing ansible-core and the collection's libraries into $(DEMO). This happens only once"
	@$(VENV_OF) $(DEMO)
	@$(DEMO)/bin/$(PIP_INSTALL) -r $<
	@touch $@

.PHONY: demo simulator
demo: $(LINK) $(if $(wildcard $(STAMP)),,$(DEMO)/.stamp)  ## Order one of each product from a simulated service: check mode, the orders, and a second run
	@$(if $(wildcard $(STAMP)),$(VENV),$(DEMO))/bin/python demo/run.py

PORT ?= 8080
simulator: $(if $(wildcard $(STAMP)),,$(DEMO)/.stamp)  ## Run the simulated service until Ctrl-C, for playbooks of your own; PORT=8080
	@$(if $(wildcard $(STAMP)),$(VENV),$(DEMO))/bin/python -m playbooks.files.simulator --port $(PORT)

# --- Documentation ------------------------------------------------------------------------------------------------------

.PHONY: docs
docs: setup  ## Build the documentation site in .cache/docs/build/html, and test how it and the report of a plan look in Chromium
	$(BIN)/python docs/site/build.py
	$(BIN)/python -m pytest -q -rs tests/site

# On Debian and Ubuntu, as root or with sudo. Without any, the tests of pages are skipped.
BROWSERS := chromium chromium-browser google-chrome google-chrome-stable
.PHONY: browser
browser:  ## Install Chromium for `make docs`, unless a browser of its kind is here
	@for name in $(BROWSERS); do command -v $$name >/dev/null && exit 0; done; \
	$$(test $$(id -u) = 0 || echo sudo) sh -c 'apt-get -qq update && apt-get -qq install --no-install-recommends chromium'

.PHONY: changelog
changelog: setup  ## Write the release note of the version in galaxy.yml; DATE=2026-12-01 of the release
	$(BIN)/python -m tests.tools.changelog $(if $(DATE),--date $(DATE))

# --- Checks -------------------------------------------------------------------------------------------------------------

# As many checks at once as there are processors, and all of them though one fails.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
LOGS := $(CACHE)/test

# The longest first.
LINTERS := lint-ansible lint-docs lint-mypy lint-changelog lint-reuse lint-yaml lint-workflow lint-ruff lint-format lint-complexity lint-generated
CHECKS := $(addprefix check-,pytest sanity $(LINTERS))

.PHONY: test $(CHECKS)
test: all-setup  ## Lint, sanity, and a short form of the tests; the rest: test-full, molecule, test-matrix, docs, release-check
	@echo "What the checks print is in $(LOGS)/NAME.log. For some minutes, pytest.log grows"
	@$(MAKE) --no-print-directory --keep-going --jobs $(JOBS) $(CHECKS); failed=$$?; \
	sed -n '/^[=-]* fault campaign/,/ all /p; /^explored: /p; /^SKIPPED/p' $(LOGS)/pytest.log; exit $$failed

# What a check prints goes to a file, and is shown where it failed. No colours, and no locale's warnings.
$(CHECKS): check-%:
	@mkdir -p $(LOGS); begin=$$(date +%s); env -u FORCE_COLOR NO_COLOR=1 ANSIBLE_NOCOLOR=1 LC_ALL=C.UTF-8 TERM=dumb COLUMNS=120 \
	$(MAKE) --no-print-directory $* >$(LOGS)/$*.log 2>&1 </dev/null || { cat $(LOGS)/$*.log; echo "FAILED  $*"; exit 1; }; \
	echo "ok      $*, $$(($$(date +%s) - begin)) s"

TOX := $(CACHE)/tox/bin/tox
$(TOX):
	@$(VENV_OF) $(CACHE)/tox
	@$(CACHE)/tox/bin/$(PIP_INSTALL) tox

# The constraints are the lower bounds of the collection's requirements.
.PHONY: test-matrix
test-matrix: $(LINK) $(AWX) $(TOX)  ## The tests on every supported ansible-core and Python; CELLS=py3.11-core2.19,… for some
	@mkdir -p $(CACHE)/matrix
	@sed -n 's/\(\[.*\]\)*>=/==/p' requirements.txt requirements-postgresql.txt >$(CACHE)/matrix/lowest.txt
	$(TOX) run -c tests/tox.ini --root . $(if $(CELLS),-e $(CELLS))

.PHONY: unit
unit: setup $(AWX)  ## The unit tests
	$(BIN)/python -m pytest -n $(JOBS) tests/unit

.PHONY: integration
integration: setup  ## The integration tests: real playbooks against the simulator
	$(BIN)/python -m pytest -n $(JOBS) tests/integration

# A short form: --full runs each playbook against all shapes, and the whole fault campaign.
# One worker more than processors, since tests also wait. Workers take tests from each other, so that none ends late; of
# those that one still has they take the last, so the longest come first.
.PHONY: pytest
pytest: setup $(AWX) $(SERVICES)
	$(BIN)/python -m pytest -n $$(( $(JOBS) + 1 )) --dist worksteal $(wildcard tests/services tests/integration tests/faults tests/unit)

.PHONY: test-full
test-full: setup $(AWX) $(SERVICES) $(NODE_SERVICES)  ## The tests in full: all shapes, faults and frameworks
	$(BIN)/python -m pytest -n $(JOBS) --full $(wildcard tests/faults tests/unit tests/integration tests/services)
	$(BIN)/python -m tests.tools.integration_targets

# Not in `make test`: it takes 15 seconds, and the same is in tests/integration.
.PHONY: ansible-test
ansible-test: setup  ## ansible-test integration of what users do, against the simulator; TARGETS="order settle" for some
	$(BIN)/python -m tests.tools.integration_targets $(TARGETS)

.PHONY: test-services
test-services: setup $(SERVICES) $(NODE_SERVICES)  ## Orders from services made with real frameworks
	$(BIN)/python -m pytest -n $(JOBS) --full tests/services

RANDOM_SERVICES := tests/unit/plugins/module_utils/_contracts/test_random_services.py
.PHONY: test-faults
test-faults: setup  ## The whole fault campaign: more than 1,000 trials in about ten minutes; TRIALS=N of each case
	$(BIN)/python -m pytest -n $(JOBS) -q tests/faults $(RANDOM_SERVICES) --full $(if $(TRIALS),--trials $(TRIALS))

# In two parts, so that what users reach can be told from what unit tests alone reach.
COVERAGE := $(CURDIR)/$(CACHE)/coverage
MEASURED := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q --cov=plugins --cov-branch --cov-report= $(if $(FULL),--full)
.PHONY: coverage
coverage: setup $(AWX) $(SERVICES)  ## What the tests reach, in playbooks' processes, too: at least 95 %, and what no playbook reaches; FULL=1
	@rm -rf $(COVERAGE) && mkdir -p $(COVERAGE)
	COVERAGE_FILE=$(COVERAGE)/unit $(MEASURED) tests/unit
	COVERAGE_FILE=$(COVERAGE)/others $(MEASURED) tests/services tests/integration tests/faults
	$(BIN)/python -m coverage report --data-file=$(COVERAGE)/others --show-missing --skip-covered >$(COVERAGE)/no_playbook.txt
	@echo "What no playbook reaches: $(COVERAGE)/no_playbook.txt"
	$(BIN)/python -m coverage combine --quiet --keep --data-file=$(COVERAGE)/all $(COVERAGE)/unit $(COVERAGE)/others
	$(BIN)/python -m coverage report --data-file=$(COVERAGE)/all --show-missing --skip-covered --fail-under=95

.PHONY: mutants
mutants: setup  ## Make each known mistake in a copy of the core, and name those that its own package's tests do not see; IDS="J1 Q2" for some
	$(BIN)/python -m tests.tools.mutants --jobs $(JOBS) $(IDS)

.PHONY: bench
bench: setup  ## What orders cost, against ansible.builtin.uri and plain scripts; ROUNDS=N, ROWS="loop tasks ...", CPU=1 on a busy machine
	$(BIN)/python -m bench.run $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(CPU),--cpu) $(ROWS)

.PHONY: molecule
molecule: setup  ## The roles' scenarios against a simulated service, without containers
	@touch extensions/molecule/*/molecule.yml
	molecule test --all --workers 2

# Without what others repeat: ruff has the rules of pep8, and most of pylint's; lint-docs reads all documentation, as
# ansible-doc does; test_layers.py imports each file without libraries; changelog is lint-changelog. test-matrix and
# release-check run these, too, on every cell.
REPEATED := pylint import pep8 ansible-doc
SANITY := $(BIN)/python tests/tools/sanity.py
.PHONY: sanity
sanity: setup  ## ansible-test sanity of what is released, with the venv's ansible-core and Python, but for what other checks repeat
	$(SANITY) --skip-test changelog $(foreach test,$(REPEATED),--skip-test $(test))

# Without REPOSITORY=… ISSUES=… HOMEPAGE=… MAINTAINERS=…, what galaxy.yml has. A Python that is not found is skipped, and said.
STAND_INS := $(if $(REPOSITORY),--repository '$(REPOSITORY)') $(if $(ISSUES),--issues '$(ISSUES)') \
  $(if $(HOMEPAGE),--homepage '$(HOMEPAGE)') $(if $(MAINTAINERS),--maintainers '$(MAINTAINERS)')
.PHONY: release-check
release-check: setup $(TOX)  ## Build the tarball, and check what users get: contents, secrets, import, libraries, installation; and all sanity tests on every ansible-core and Python
	$(BIN)/python -m tests.tools.release $(STAND_INS)
	$(MAKE) lint-docs REFERENCES=all
	$(TOX) run -c tests/tox.ini --root . --skip-missing-interpreters true \
	  -e $$($(TOX) list -c tests/tox.ini --root . --no-desc -q | sed -n 's/^py[0-9.]*-core[0-9.]*$$/sanity-&/p' | paste -sd,)

.PHONY: publish
publish: setup  ## Publish what release-check has built, with the token in GALAXY_TOKEN; without a token, say what would be published; TAG=1.0.0
	$(BIN)/python -m tests.tools.publish $(if $(TAG),--tag "$$TAG")

.PHONY: lint $(LINTERS)
lint: $(LINTERS)  ## All linters; each is a target of its own
$(LINTERS): setup

lint-ruff:
	ruff check .

lint-format:
	ruff format --check .

# More than ruff's C90 counts: comprehensions, and what "and" and "or" join.
MOST_COMPLEX := 15
lint-complexity:
	@mkdir -p $(CACHE)
	radon cc --show-complexity --min C plugins >$(CACHE)/complexity.txt
	@awk '/^[^ ]/ {file = $$0} match($$0, /\([0-9]+\)/) && substr($$0, RSTART + 1, RLENGTH - 2) > $(MOST_COMPLEX) \
	{print file ": above $(MOST_COMPLEX):" $$0; failed = 1} END {exit failed}' $(CACHE)/complexity.txt

lint-mypy:
	mypy -p ansible_collections.hosting.reseller.plugins -p bench

lint-yaml:
	yamllint --strict .

lint-workflow:
	check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml docs/examples/pipelines/github-actions.yml
	check-jsonschema --builtin-schema custom.github-workflows-require-timeout .github/workflows/*.yml docs/examples/pipelines/github-actions.yml
	check-jsonschema --builtin-schema vendor.gitlab-ci docs/examples/pipelines/gitlab-ci.yml
	check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))

lint-ansible:
	ansible-lint --nocolor

lint-changelog:
	antsibull-changelog lint
	$(BIN)/python -m tests.tools.changelog --check

# References to other collections are few, and looking them up takes as long as all the rest: release-check does.
REFERENCES ?= self
lint-docs:
	antsibull-docs lint-collection-docs --plugin-docs --validate-collection-refs=$(REFERENCES) .

lint-reuse:
	reuse lint --lines

lint-generated:
	$(BIN)/python tests/tools/product_types.py --check
	$(BIN)/python -m tests.tools.authors --check

# A report: it fails nothing.
.PHONY: lint-words
lint-words: setup  ## Report words in messages, guides and code for which the guides have another one
	$(BIN)/python -m tests.tools.words

.PHONY: generate
generate: setup  ## Write what follows from the product types and from galaxy.yml: choices in documentation, the schema of stack files, authors
	$(BIN)/python tests/tools/product_types.py
	$(BIN)/python -m tests.tools.authors

.PHONY: format
format: setup  ## Let ruff repair what it can
	ruff check --fix-only .
	ruff format .
