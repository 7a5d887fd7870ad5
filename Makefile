# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# The interpreter decides the ansible-core version: pip takes the newest that supports it.
PYTHON ?= python3
VENV ?= .venv
CACHE := .cache
STAMP := $(VENV)/.setup-stamp
LINK := $(CACHE)/ansible_collections/hosting/reseller

BIN := $(abspath $(VENV))/bin
export PATH := $(BIN):$(PATH)
export ANSIBLE_CONFIG := $(CURDIR)/ansible.cfg
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help
help:  ## Show this list
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do printf '  %-14s %s\n' "$$name" "$$text"; done

.PHONY: setup
setup: $(STAMP) $(LINK)  ## Make the virtual environment and the link that Ansible finds the collection by

$(STAMP): requirements.txt tests/requirements.txt tests/requirements-test.txt tests/requirements-lint.txt tests/unit/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -r tests/requirements.txt
	@touch $@

$(LINK):
	@mkdir -p $(@D)
	ln -sfn ../../.. $@
