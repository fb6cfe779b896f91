"""``python docs/site/pictures.py [NAME ...]``: a small picture and an animation of every example, or of those named.

Pictures go to docs/gallery and are kept; animations go to build/gallery, from where the site takes what is there.
"""

from __future__ import annotations

import contextlib
import re
import runpy
import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

import matplotlib as mpl
from PIL import Image, ImageOps
from staging import DOCS, ROOT

from examples import EXAMPLES
from nsdgen.errors import NsdgenError

mpl.use("Agg")
SIZE = (480, 360)
ANIMATIONS = ROOT / "build" / "gallery"


def _run(path: Path) -> Any:
    """A run of the model of an example; of a world that which its file makes itself."""
    if path.parent.name != "worlds":
        return runpy.run_path(str(path))["model"].run()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return runpy.run_path(str(path), run_name="__main__")["trajectory"]


def _plotted(path: Path) -> list[list[str]]:
    """The panels that the example's own command draws."""
    command = re.search(r"^ {4}(nsdgen run .*)$", path.read_text(encoding="utf-8"), re.M)
    if command is None:
        return []
    words = shlex.split(command[1].partition("  #")[0])
    return [words[i + 1].split(",") for i, word in enumerate(words) if word == "--plot"]


def _near(image: Image.Image) -> Image.Image:
    """What is drawn in an image, with a margin, in the proportions of the gallery; the line of text on top is left."""
    bare = image.crop((0, image.height // 12, image.width, image.height))
    left, top, right, bottom = ImageOps.invert(bare.convert("L")).getbbox() or (0, 0, *bare.size)
    width = 1.2 * max(right - left, (bottom - top) * SIZE[0] / SIZE[1])
    height = width * SIZE[1] / SIZE[0]
    x, y = (left + right - width) / 2, (top + bottom - height) / 2
    return ImageOps.expand(bare, int(width), "white").crop(tuple(int(p + width) for p in (x, y, x + width, y + height)))


def _small(picture: Path, target: Path) -> None:
    """A picture of few colours, at the size of the gallery."""
    target.parent.mkdir(parents=True, exist_ok=True)
    image = Image.open(picture).convert("RGB")
    if picture.name.startswith("frame"):
        image = _near(image)
    image = image.resize(SIZE, Image.Resampling.LANCZOS)
    image.quantize(32).save(target, optimize=True)


def _frame(run: Any, folder: Path) -> Path:
    """The middle one of three pictures of a run. Raises ``ParameterError`` where nothing is drawn."""
    length = float(run.time[-1] - run.time[0])
    run.animate(folder / "frame.png", speed=length * 25 / 2)
    frames = sorted(folder.glob("frame_*.png"))
    return frames[len(frames) // 2]


def _curves(run: Any, panels: list[list[str]], folder: Path) -> Path:
    plot = run.plot(*(panels[:2] or [list(run.names[:3])]), title="")
    plot.figure.set_size_inches(6.4, 4.8)
    plot.save(folder / "curves.png")
    return folder / "curves.png"


def picture(path: Path) -> None:
    """Run an example; keep a picture of it, its bodies where they are drawn, and a page that moves."""
    run = _run(path)
    ANIMATIONS.mkdir(parents=True, exist_ok=True)
    run.animate(ANIMATIONS / f"{path.stem}.html", *(n for panel in _plotted(path)[:1] for n in panel[:3]))
    with tempfile.TemporaryDirectory() as name:
        try:
            found = _frame(run, Path(name))
        except NsdgenError:  # nothing but columns: a circuit
            found = _curves(run, _plotted(path), Path(name))
        _small(found, DOCS / "gallery" / f"{path.stem}.png")


if __name__ == "__main__":
    for example in EXAMPLES:
        if not sys.argv[1:] or example.stem in sys.argv[1:]:
            picture(example)
            print(example.stem, flush=True)
