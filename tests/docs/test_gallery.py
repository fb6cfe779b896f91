"""Every example has a picture in the gallery."""

from ..conftest import ROOT
from .pages import DOCS


def test_every_example_has_a_picture() -> None:
    folders = [ROOT / "examples" / folder for folder in (".", "mechanisms", "worlds")]
    examples = {path.stem for folder in folders for path in folder.glob("*.py") if not path.stem.endswith("_audit")}
    assert {path.stem for path in (DOCS / "gallery").glob("*.png")} == examples, "make gallery"
