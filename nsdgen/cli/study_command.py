"""``nsdgen study``: orbits, branches, sections, diagrams, exponents, chaos, responses and basins of a model file."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nsdgen.base.counted import counted
from nsdgen.cli.typed_values import one_number, parse_period
from nsdgen.errors import ParameterError


def execute(options: argparse.Namespace) -> int:
    """Make the analysis, print what it says and draw it where ``--plot-file`` asks for a picture."""
    from nsdgen.cli.load import load_model
    from nsdgen.cli.target import check_target, check_writable, parse_target
    from nsdgen.study.plot import check_picture

    if options.analysis not in _ANALYSES:
        raise ParameterError(
            f"{options.analysis!r} is no analysis", where="ANALYSIS", fix=f"use one of {', '.join(_ANALYSES)}"
        )
    target = parse_target(options.model)
    check_target(target, "study")
    if options.plot_file is not None:
        check_picture(options.plot_file)
        check_writable(options.plot_file, "--plot-file")
    asked = _Asked(options)
    _check_taken(_ANALYSES[options.analysis], asked)
    model, _ = load_model(target.path, target.name)
    found, plot = _ANALYSES[options.analysis].make(model, asked)
    if not options.quiet:
        print(found)
    if options.plot_file is not None:
        plot().save(options.plot_file)
        if not options.quiet:
            print(f"saved {options.plot_file}")
    return 0


class _Asked:
    """What was typed, as the functions of the analyses take it."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.over = {n: v for n, v in options.parameter.items() if isinstance(v, np.ndarray | tuple)}
        grid = options.analysis == "basins"
        self.grid = {n: v for n, v in options.initial.items() if grid and isinstance(v, np.ndarray)}
        self.columns = [name for names in options.plot or () for name in names.split(",") if name]

    def common(self, *names: str) -> dict[str, Any]:
        """The arguments that all share, and those of these names that were given."""
        fixed = {n: v for n, v in self.options.parameter.items() if n not in self.over}
        given = {name: getattr(self.options, name) for name in names if getattr(self.options, name) is not None}
        return {"parameters": fixed, "options": self.options.scheme, **given}

    @property
    def near(self) -> dict[str, float] | None:
        """Initial values by column, vectors by component."""
        found: dict[str, float] = {}
        for name, value in self.options.initial.items():
            if isinstance(value, float):
                found[name] = value
            elif name not in self.grid:
                found |= {f"{name}[{k}]": float(entry) for k, entry in enumerate(value)}
        return found or None

    @property
    def period(self) -> Any:
        """The period: a number, or an expression of parameters."""
        if self.options.period is None:
            raise ParameterError("no period is given", where="--period", fix="write --period '2*pi/omega'")
        return parse_period(self.options.period)

    def one(self) -> tuple[str, Any]:
        """The one parameter that varies; raises ``ParameterError`` for none and for several."""
        if len(self.over) != 1:
            raise ParameterError(
                f"{len(self.over)} parameters vary", where="-p", fix="give one with values: -p omega=30:80:100"
            )
        return next(iter(self.over.items()))

    def at(self) -> Any:
        """Where sections are taken: an event, a plane ``x=0.3``, or once a period."""
        text = self.options.at
        if text is None:
            return self.period
        name, equals, value = text.partition("=")
        return (name.strip(), one_number(value)) if equals else text


def _orbit(model: Any, asked: _Asked) -> tuple[Any, Callable[[], Any]]:
    from nsdgen.study.orbits.orbit import periodic_orbit

    given = asked.common("settle", "anchor", "start")
    found = periodic_orbit(model, asked.period, near=asked.near, **given)
    name, *more = asked.columns or [found.columns[0]]

    def plot() -> Any:
        if not more and f"{name}_dot" not in found.motion:  # a quantity of one's own
            return found.motion.plot(name)
        return found.motion.phase_plot(name, **({"rate": more[0]} if more else {}))

    return found, plot


def _follow(model: Any, asked: _Asked) -> tuple[Any, Callable[[], Any]]:
    from nsdgen.study.orbits.follow import follow_orbit

    name, values = asked.one()
    given = asked.common("settle", "anchor", "start")
    given["parameters"] = {**given["parameters"], name: float(values[0])}
    given["backward"] = bool(values[-1] < values[0])
    found = follow_orbit(model, asked.period, name, (float(values[0]), float(values[-1])), near=asked.near, **given)
    return found, lambda: found.plot(*asked.columns[:1])


def _section(model: Any, asked: _Asked) -> tuple[Any, Callable[[], Any]]:
    from nsdgen.study.orbits.section import poincare_section

    period = None if asked.options.period is None else asked.period
    found = poincare_section(model, asked.at(), period=period, near=asked.near, **asked.common("end", "since"))
    return f"{counted(len(found), 'point')} {found.where}", lambda: found.plot(*asked.columns[:2])


def _diagram(model: Any, asked: _Asked) -> tuple[Any, Callable[[], Any]]:
    from nsdgen.study.orbits.diagram import bifurcation_diagram

    name, values = asked.one()
    given = asked.common("settle", "keep")
    found = bifurcation_diagram(model, name, values, asked.at(), period=asked.period, near=asked.near, **given)
    both = ", ".join(f"{v:g}" for v in found.values[found.coexist])
    told = (
        f"{len(found.values)} values of {name}, {len(found.failures)} motions failed; coexistence at {both or 'none'}"
    )
    return told, lambda: found.plot(*asked.columns[:1])


def _exponents(model: Any, asked: _Asked) -> tuple[Any, Callable[[], Any]]:
    from nsdgen.study.orbits.exponents import lyapunov_exponents

    given = asked.common("settle")
    if asked.options.keep is not None:
        given["periods"] = asked.options.keep
    found = lyapunov_exponents(model, asked.period, near=asked.near, **given)
    return found, found.plot


def _chaos(model: Any, asked: _Asked) -> tuple[Any, Callable[[], Any]]:
    from nsdgen.study.orbits.exponents import chaos_test
    from nsdgen.study.orbits.flow import flow_of, period_of
    from nsdgen.study.orbits.section import poincare_section

    given = asked.common("settle", "keep")
    length = period_of(flow_of(model, given["parameters"], given["options"], exact=False), asked.period)
    settle, keep = given.pop("settle", 100), given.pop("keep", 1000)
    since, end = settle * length, (settle + keep) * length
    found = poincare_section(model, asked.period, near=asked.near, since=since, end=end, **given)
    column = (asked.columns or [found.columns[0]])[0]
    number = chaos_test(found[column])
    word = "chaotic" if number > 0.5 else "regular: periodic or quasi-periodic"
    return f"0-1 test of {column} over {len(found)} periods: {number:.4g}, {word}", lambda: found.plot(
        *asked.columns[:2]
    )


def _response(model: Any, asked: _Asked) -> tuple[Any, Callable[[], Any]]:
    from nsdgen.study.orbits.diagram import frequency_response

    name, values = asked.one()
    if not asked.columns:
        raise ParameterError("no column is named", where="--plot", fix="write --plot x, the column that answers")
    found = frequency_response(model, name, values, asked.columns[0], **asked.common("settle"))
    lines = zip(found.values, found.amplitude, found.stable, strict=True)
    told = "\n".join(f"{w:.9g} rad/s: amplitude {a:.9g}, {'stable' if s else 'unstable'}" for w, a, s in lines)
    return told, found.plot


def _basins(model: Any, asked: _Asked) -> tuple[Any, Callable[[], Any]]:
    from nsdgen.study.orbits.diagram import basins_of_attraction

    if asked.near:
        name = next(iter(asked.near))
        raise ParameterError(f"{name!r} has one value", where="--initial", fix="give a grid of two: x=-1:1:50")
    found = basins_of_attraction(model, asked.grid, asked.period, **asked.common("settle"))
    shares = [np.mean(found.which == k) for k in range(len(found.attractors))]
    listed = ", ".join(f"{len(a)}-periodic {s:.1%}" for a, s in zip(found.attractors, shares, strict=True))
    return f"attractors: {listed or 'none that is periodic'}", found.plot


@dataclass(frozen=True)
class _Study:
    """What makes an analysis, those options of ``_OF_SOME`` that it takes, and whether it varies a parameter."""

    make: Callable[[Any, _Asked], tuple[Any, Callable[[], Any]]]
    takes: tuple[str, ...]
    varies: bool = False


_OF_SOME = ("period", "at", "anchor", "settle", "keep", "since", "end", "start", "initial")
_ANALYSES = {
    "orbit": _Study(_orbit, ("period", "anchor", "settle", "start", "initial")),
    "follow": _Study(_follow, ("period", "anchor", "settle", "start", "initial"), varies=True),
    "section": _Study(_section, ("period", "at", "since", "end", "initial")),
    "diagram": _Study(_diagram, ("period", "at", "settle", "keep", "initial"), varies=True),
    "exponents": _Study(_exponents, ("period", "settle", "keep", "initial")),
    "chaos": _Study(_chaos, ("period", "settle", "keep", "initial")),
    "response": _Study(_response, ("settle",), varies=True),
    "basins": _Study(_basins, ("period", "settle", "initial")),
}


def _check_taken(analysis: _Study, asked: _Asked) -> None:
    """Refuse what was typed and would change nothing."""
    for name in _OF_SOME:
        if getattr(asked.options, name) not in (None, {}) and name not in analysis.takes:
            others = ", ".join(kind for kind, other in _ANALYSES.items() if name in other.takes)
            raise ParameterError(
                f"{asked.options.analysis} does not take it", where=f"--{name}", fix=f"leave it out; it is for {others}"
            )
    if asked.over and not analysis.varies:
        name = next(iter(asked.over))
        raise ParameterError(f"{name!r} has several values", where="-p", fix="give it one")
