# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Serves a WSGI application on loopback with uvicorn."""

from __future__ import annotations

from typing import Any

import uvicorn
from a2wsgi import WSGIMiddleware


def serve(application: Any, port: int) -> None:
    """Serve it until the process ends."""
    uvicorn.run(WSGIMiddleware(application), host="127.0.0.1", port=port, log_level="warning")
