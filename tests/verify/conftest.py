"""Puts what the tests of this folder share (``misleading``, ``families``) on the path of imports."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
