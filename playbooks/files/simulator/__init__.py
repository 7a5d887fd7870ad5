# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A local service that behaves as the reseller interface is described, for trying out and for tests.

It is written from the interface's description alone and imports nothing of the collection, so that a mistake in the
collection cannot hide behind the same mistake here. The playbook simulator.yml starts and stops it.
"""
