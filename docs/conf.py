"""How the documentation is built: ``make docs``, offline, with warnings as errors."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import pages  # noqa: E402

import understudy  # noqa: E402

project = "Understudy"
author = "The Understudy developers"
project_copyright = author
version = release = understudy.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "Understudy"
html_copy_source = False
html_extra_path = ["llms.txt"]

myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
python_use_unqualified_type_names = True

pages.write_generated(HERE / "reference" / "generated")
