"""``nsdgen run``: a model from its file, or from a package, to a trajectory."""

from __future__ import annotations

import argparse
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from nsdgen.cli.signals import Stop, Watch
from nsdgen.cli.target import check_writable
from nsdgen.errors import NsdgenError, ParameterError, StepError
from nsdgen.study.progress import Progress

if TYPE_CHECKING:
    from nsdgen.cli.target import Opened, Target
    from nsdgen.record.model_record import ModelRecord
    from nsdgen.study.trajectory import Trajectory

Groups: TypeAlias = tuple[tuple[str, ...], ...]
"""The names after each ``--plot``."""

_MANY = 1_000_000  # numbers that take a second to write as text: a rescue says why the command has not ended


def execute(options: argparse.Namespace) -> int:
    """Run, save and draw what was asked for, and report.

    When a step fails or the run is interrupted, what it reached is saved and the error goes on. A run of a new model
    starts while its kernels are compiled; the command ends when both have.
    """
    from nsdgen.build.beside import Beside
    from nsdgen.cli.target import check_target, open_target, parse_target

    target = parse_target(options.model)
    check_target(target, "run")
    check_writable(options.out, "--out", (".nc", ".csv", ".npz"), "a trajectory")
    _check_page(options.animate, target)
    with Beside() as beside:
        opened = open_target(
            target,
            native=options.native,
            rederive=options.rederive or options.animate is not None,  # what is drawn is said in the model file
            consistent=options.consistent_start,
            interpret=options.interpret or None,
            beside=beside,
        )
        _run_and_report(opened, options)
    return 0


def _run_and_report(opened: Opened, options: argparse.Namespace) -> None:
    """Make the run that was asked for of an opened model."""
    groups = _columns_to_draw(options, opened.compiled.record)
    record = opened.compiled.record
    if groups is not None and _by_browser(options):
        check_writable(_picture(options, record), "--plot-file")
    elif groups is not None:
        _check_picture(_picture(options, record), options.look or "screen")
    stop: Stop = options.stop
    with stop.holding():
        began = time.perf_counter()
        try:
            trajectory = _run(opened, options, stop)
        except (StepError, KeyboardInterrupt) as error:
            _rescue(error, options, groups, record)
            raise
        seconds = time.perf_counter() - began
        files = _write(trajectory, options.out, options, groups, record)
    if not options.quiet:
        from nsdgen.cli.report import run_report

        print(run_report(opened, trajectory, seconds))
        if options.diagnose:
            print(f"\n{trajectory.diagnose()}")
        print("".join(f"\nsaved {file}" for file in files), end="\n" if files else "", flush=True)


def _run(opened: Opened, options: argparse.Namespace, stop: Stop) -> Trajectory:
    record = opened.compiled.record
    first, last = (
        getattr(record, what) if given is None else given
        for what, given in (("start", options.start), ("end", options.end))
    )
    bar = None if options.quiet else Progress(last - first, record.name)
    return opened.compiled.run(
        end=options.end,
        step=options.step,
        start=options.start,
        parameters=options.parameter,
        initial=options.initial,
        options=options.scheme,
        progress=Watch(stop, bar),
        every=1 if options.every is None else options.every,
        record=options.record,
        generic=options.generic,
    )


def _check_page(path: Path | None, target: Target) -> None:
    """Refuse before the run a page that could not be written after it."""
    if path is None:
        return
    from nsdgen.study.animation.animate import MOVING

    check_writable(path, "--animate", MOVING, "an animation")
    if target.is_package:
        raise ParameterError(
            "a package does not say what is drawn", where="--animate", fix="run the model file that it was made from"
        )


def _check_picture(path: Path, look: str) -> None:
    """Refuse before the run a picture that could not be written after it."""
    from nsdgen.study.looks import look_of
    from nsdgen.study.plot import check_picture

    look_of(look)
    check_picture(path)
    check_writable(path, "--plot-file")


def _columns_to_draw(options: argparse.Namespace, record: ModelRecord) -> Groups | None:
    """The names after each --plot, checked before the run; None where nothing is to be drawn.

    A group without names stands for everything.
    """
    if not options.plot and options.plot_file is None:
        return None
    from nsdgen.record.columns import ColumnIndex
    from nsdgen.record.step_record import Layout
    from nsdgen.runtime.selection import select
    from nsdgen.study.optional import require
    from nsdgen.study.plot import names_to_draw

    if not _by_browser(options):
        require("matplotlib", "plots", "drawing")
    layout = Layout.of(record)
    kept = range(layout.width) if options.record is None else select(layout, options.record, record.name)
    index = ColumnIndex([layout.columns[i] for i in kept])
    # a name may hold a comma itself
    groups = tuple(
        (text,) if text in index else tuple(part.strip() for part in text.split(",")) if text else ()
        for text in options.plot or ("",)
    )
    for group in groups:
        names_to_draw(index, group, record.name)
    return groups


def _picture(options: argparse.Namespace, record: ModelRecord) -> Path:
    return options.plot_file or Path(f"{record.identifier}{'.html' if _by_browser(options) else '.png'}")


def _by_browser(options: argparse.Namespace) -> bool:
    """Whether curves become a page as of --animate: matplotlib, which draws all other pictures, is not installed."""
    plain = options.look is None and (options.plot_file is None or options.plot_file.suffix.lower() == ".html")
    return plain and find_spec("matplotlib") is None


def _write(
    trajectory: Trajectory, out: Path | None, options: argparse.Namespace, groups: Groups | None, record: ModelRecord
) -> list[Path]:
    """The files that were asked for, written."""
    from nsdgen.cli.report import changes

    files = []
    if out is not None:
        trajectory.save(out)
        files.append(out)
    title = ", ".join([record.name, *changes(record, trajectory)])
    names = [name for group in groups or () for name in group]
    if groups is not None:
        picture = _picture(options, record)
        if _by_browser(options):
            trajectory.animate(picture, *names, title=title)
        else:
            trajectory.plot(*groups, title=title, look=options.look or "screen").save(picture)
        files.append(picture)
    if options.animate is not None and len(trajectory) > 1:
        trajectory.animate(options.animate, *names, title=title)
        files.append(options.animate)
    return files


def _rescue(error: Any, options: argparse.Namespace, groups: Groups | None, record: ModelRecord) -> None:
    """Save what a failed or interrupted run reached, and note on the error where."""
    trajectory = getattr(error, "trajectory", None)
    if trajectory is None:
        return
    word = "failed" if isinstance(error, StepError) else "interrupted"
    out = options.out or Path(f"{record.identifier}-{word}.nc")
    if not options.quiet and trajectory.table.size > _MANY:
        print(f"nsdgen: {word}: saving {len(trajectory)} rows; Ctrl-C ends that", file=sys.stderr, flush=True)
    try:
        files = _write(trajectory, out, options, groups, record)
    except NsdgenError as second:
        error.add_note(f"  Saving what was reached failed too: {second}")
    else:
        reached = f"t = {trajectory.time[-1]:g} s" if len(trajectory) else "the start"
        error.add_note(f"  The trajectory up to {reached} is in {', '.join(map(str, files))}.")
