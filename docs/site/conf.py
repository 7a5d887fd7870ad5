# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How Sphinx builds the documentation site. `build.py` collects the pages."""

from pathlib import Path

HERE = Path(__file__).parent

project = "hosting.reseller"
copyright = "hosting.reseller contributors"  # noqa: A001
extensions = ["sphinx.ext.intersphinx", "sphinx_antsibull_ext", "sphinx_copybutton"]
nitpicky = True
default_role = "any"
highlight_language = "yaml+jinja"
pygments_style = "ansible"

# Nothing is fetched, so references to pages of ansible-core cannot be resolved. All other warnings are errors.
intersphinx_mapping: dict[str, tuple[str, None]] = {}
suppress_warnings = ["ref.ref", "ref.any"]

# Furo: no web fonts, no other files from elsewhere, readable on a phone, and a page's outline beside it.
html_theme = "furo"
html_title = "hosting.reseller"
html_short_title = "hosting.reseller"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_use_index = False
html_theme_options = {"top_of_page_buttons": []}

# Copies commands without the prompt and without what they print.
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
copybutton_remove_prompts = True
copybutton_line_continuation_character = "\\"
