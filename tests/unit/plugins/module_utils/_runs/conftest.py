# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The services of the tasks' tests: a run is tested as a task."""

from tests.unit.plugins.module_utils._tasks.conftest import bench, controlled, paged, plain_service

__all__ = ["bench", "controlled", "paged", "plain_service"]
