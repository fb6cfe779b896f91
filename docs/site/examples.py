"""The examples that the gallery shows, in its order."""

from __future__ import annotations

from pathlib import Path

__all__ = ["EXAMPLES"]

ROOT = Path(__file__).resolve().parents[2]
_FOLDERS = [ROOT / "examples" / folder for folder in (".", "mechanisms", "worlds")]
EXAMPLES = [path for folder in _FOLDERS for path in sorted(folder.glob("*.py")) if not path.stem.endswith("_audit")]
