"""Films and pages as they are seen: frames, outlines, what a browser shows."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ParameterError
from nsdgen.study.animation.film import corners_of, ruled
from nsdgen.study.animation.picture import Drawn, DrawnSolid, Picture


def test_films_and_their_frames(brick: nsd.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    images = pytest.importorskip("PIL.Image")
    trajectory = brick.run()
    trajectory.animate(tmp_path / "brick.gif", speed=4)
    with images.open(tmp_path / "brick.gif") as drawn:
        assert drawn.n_frames == 4  # half a second at 25 frames a second, four times as fast
        assert drawn.size == (640, 480)
    trajectory.animate(tmp_path / "brick.png", speed=10)
    frames = [np.asarray(images.open(file).convert("L"), dtype=float) for file in sorted(tmp_path.glob("brick_*.png"))]
    assert len(frames) == 2
    assert all(np.ptp(frame) > 100 for frame in frames) and (np.abs(frames[0] - frames[1]) > 50).sum() > 500
    monkeypatch.setattr("matplotlib.animation.FFMpegWriter.isAvailable", classmethod(lambda cls: False))
    with pytest.raises(ParameterError, match="needs the program ffmpeg"):
        trajectory.animate(tmp_path / "brick.mp4", speed=10)


def test_a_film_lasts_as_long_as_its_run_whatever_rows_there_are(
    brick: nsd.Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long steps gave few frames, shown too fast; runs beside this one went at a pace of their own."""
    drawn: list[Any] = []
    monkeypatch.setattr("nsdgen.study.animation.film.film", lambda runs, *rest: drawn.extend(runs))
    end = float(brick.run().time[-1])
    run, other = brick.run(step=end / 8), brick.run(step=end / 16, end=end / 2)
    run.animate(tmp_path / "brick.gif", beside={"half": other}, speed=end / 2)  # two seconds of 25 frames
    instants = np.linspace(0, end, 51)
    for picture, record in zip(drawn, (run, other), strict=True):
        late = [record.time[record.time <= t + 1e-9 * end][-1] for t in instants]
        np.testing.assert_array_equal(picture.time, late)


def pictured(page: Path, t: float) -> np.ndarray:
    """What a headless browser shows of a page at an instant: rows, columns, colours."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no browser here")
    image = pytest.importorskip("matplotlib.image")
    picture = page.with_suffix(f".{t}.png")
    software = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--virtual-time-budget=6000"]
    command = [browser, "--headless=new", "--no-sandbox", *software, "--window-size=640,480", f"--screenshot={picture}"]
    subprocess.run([*command, f"file://{page}#t={t}&light"], capture_output=True, timeout=120, check=True)
    return image.imread(picture)[80:400, :, :3]


def test_a_film_follows_bodies_that_go_far_together() -> None:
    time = np.linspace(0, 1, 5)
    still = np.tile([1.0, 0, 0, 0], (5, 1))
    cart = [
        Drawn(
            "body",
            f"b{k}",
            np.hstack([np.outer(time, [100, 0, 0]) + [k, 0, 0], still]),
            (DrawnSolid("sphere", (0.2,)),),
        )
        for k in range(2)
    ]
    low, high = corners_of([Picture(time, cart)])(2)
    assert (low + high) / 2 == pytest.approx([50.5, 0, 0]) and float(np.ptp([low, high], axis=0).max()) < 2.5
    low, high = corners_of([Picture(time, cart[:1])])(2)
    assert low[0] < 0 and high[0] > 100


@pytest.mark.slow
def test_a_browser_shows_it_and_it_moves(brick: nsd.Model, tmp_path: Path) -> None:
    """Not blank, and other pixels where the brick was and is."""
    brick.run().animate(tmp_path / "brick.html")
    shown = [pictured(tmp_path / "brick.html", t) for t in (0, 0.4)]
    assert all(np.ptp(picture) > 0.3 for picture in shown)
    assert (np.abs(shown[0] - shown[1]).max(axis=2) > 0.2).sum() > 1000


@pytest.mark.slow
def test_a_sphere_has_its_outline(tmp_path: Path) -> None:
    """The eye is 8.4 radii away, with a field of 35 degrees: the cone that touches the sphere, cut by the picture.

    Half a pixel along the rim is one part in a hundred of the radius.
    """
    ball = nsd.RigidBody("ball", 1, sp.eye(3)).draw(nsd.solids.Sphere(0.5))
    model = nsd.Model("ball", [ball], scheme=nsd.MoreauJean(), step=0.1, end=0.2, initial={ball.position: [0, 0, 0]})
    model.run().animate(tmp_path / "ball.html")
    picture = pictured(tmp_path / "ball.html", 0.1)
    coloured = np.ptp(picture, axis=2) > 0.15
    height = 480
    radius = height / 2 / np.tan(np.radians(17.5)) / np.sqrt(8.4**2 - 1)
    assert coloured.sum() == pytest.approx(np.pi * radius**2, rel=0.02)


def test_planes_end_at_walls_and_are_seen_from_the_side_of_the_bodies():
    """A floor and two walls around [0, 1]^3: nothing beyond the wall, nothing of the wall that is seen from behind."""
    floor, left, front = np.array([[0, 0, 2.0, 0], [1.0, 0, 0, 0], [0, 1.0, 0, 0]])
    lines = np.array(ruled([floor, left, front], np.zeros(3), np.ones(3), np.array([0.4, -0.8, 0.4])))
    assert lines.min() >= -1e-12 and lines.max() < 1.2  # metres: a box of one, and a tenth of its diagonal
    on_floor, on_left = (np.abs(lines[:, :, i]).max(axis=1) < 1e-12 for i in (2, 0))
    assert (on_floor | on_left).all() and on_floor.sum() > 8 and on_left.sum() > 4
    assert lines[on_floor, :, 0].min() == lines[on_floor, :, 1].min() == 0.0
