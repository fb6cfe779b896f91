"""The one table of what can be typed after ``nsdgen``: commands, and their options.

An option is declared here and nowhere else: how it is spelt, what its text means, which
commands know it. A command receives the values as attributes of one namespace. Readers
raise ``ParameterError``, which says more than argparse would.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nsdgen.cli.option import Option, of_names, of_values, scheme_option, verdict
from nsdgen.cli.typed_values import count, one_number, parse_assignment, parse_lengths, parse_varied, positive
from nsdgen.cli.version_text import ShowVersion

COMMANDS = {
    "run": "run a model: derive and compile it if need be, step it, report",
    "report": "write a page of a model: equations, what is derived, a run with curves, motion and diagnosis",
    "sweep": "run a model over many values and keep what comes of each; the same command again goes on",
    "study": "analyse a model: orbit, follow, section, diagram, exponents, response or basins",
    "derive": "show every operator and scheme expression derived from a model",
    "compile": "compile a model into the cache, or write it as a package",
    "inspect": "show what a model, a package or a trajectory file holds",
    "verify": "decide claims about formulas and hand-written Jacobians",
    "doctor": "look for what this machine lacks",
}
"""The commands; each is the function ``execute`` of the module of its name."""


OPTIONS = (
    Option(
        ("analysis",),
        ("study",),
        "orbit, follow (along -p NAME=FROM:TO), section, diagram, exponents, chaos, response (of --plot NAME) "
        "or basins",
        metavar="ANALYSIS",
    ),
    Option(
        ("model",),
        ("run",),
        "a model file, MODEL.py:name where it holds several, or a compiled package",
        metavar="MODEL",
    ),
    Option(
        ("models",),
        ("sweep",),
        "a model file, MODEL.py:name where it holds several, or a compiled package; several of these are swept one "
        "after the other and make a dimension model, by their names",
        metavar="MODEL",
        gather=tuple,
    ),
    Option(
        ("model",),
        ("study", "derive", "compile", "report"),
        "a model file, or MODEL.py:name where it holds several",
        metavar="MODEL",
    ),
    Option(
        ("model",), ("inspect",), "a model file, a compiled package, or a trajectory file (.nc, .npz)", metavar="FILE"
    ),
    Option(
        ("claims",),
        ("verify",),
        "a Python file, or a package folder, that holds claims = [...] or a function "
        "claims(); with --plugin a model file, or MODEL.py:name",
        Path,
        "CLAIMS",
    ),
    Option(("ids",), ("verify",), "decide only these claims: an id, or what it begins with", str, "ID", gather=tuple),
    of_values(
        ("-p", "--parameter"),
        ("run", "report"),
        "a parameter of the model, e.g. -p omega=2*pi*50; may be repeated",
        parse_assignment,
    ),
    of_values(
        ("--initial",),
        ("run", "report"),
        "an initial value, e.g. --initial ball.z=2 or --initial position=[0,0,1]",
        parse_assignment,
    ),
    of_values(
        ("--scheme",),
        ("run", "report"),
        "a number of the scheme, e.g. --scheme theta=1; what changes the "
        "derivation (rotation, mass_at, activation, ...) is chosen in the model file",
        scheme_option,
    ),
    of_values(
        ("-p", "--parameter"),
        ("sweep", "study"),
        "a parameter and its values: -p omega=30:80:400 (400 values from 30 to 80), -p e=[0,0.3,0.8], one for all with "
        "-p m=2, or a range -p omega=30:80 where points are drawn; may be repeated",
        parse_varied,
    ),
    of_values(("--initial",), ("sweep", "study"), "an initial value, likewise: --initial ball.z=1:2:5", parse_varied),
    of_values(
        ("--scheme",), ("sweep", "study"), "a number of the scheme, likewise: --scheme theta=[0.5,1]", parse_varied
    ),
    Option(
        ("--design",),
        ("sweep",),
        "grid (all combinations, unless said), list (side by side), random or latin",
        str,
        "DESIGN",
    ),
    Option(("--members",), ("sweep",), "how many points are drawn", count, "N"),
    of_names("--last", "sweep", "keep the last values of these columns only"),
    Option(
        ("--reduce",),
        ("sweep",),
        "keep 'max NAME', 'min NAME' or 'mean NAME' of a column; may be repeated",
        str,
        "KIND NAME",
        gather=tuple,
    ),
    of_names("--samples", "sweep", "keep each value of these columns, or each K-th with --every"),
    Option(
        ("--period",), ("study",), "the period [s], a number or an expression of parameters: '2*pi/omega'", str, "T"
    ),
    Option(
        ("--at",),
        ("study",),
        "where sections are taken: an event (wall.closes) or a plane (x=0.3); once a period, unless said",
        str,
        "WHERE",
    ),
    Option(("--anchor",), ("study",), "of an autonomous system: the state that keeps its value", str, "NAME"),
    Option(("--settle",), ("study",), "periods before anything is kept", count, "N"),
    Option(("--keep",), ("study",), "periods that are kept", count, "N"),
    Option(("--since",), ("study",), "keep points of a section from this time on [s]", one_number, "T"),
    Option(("--since",), ("sweep",), "keep samples, reductions and events from this time on [s]", one_number, "T"),
    of_names(
        "--events", "sweep", "keep when these events were, and what the columns of --last were just before: wall.closes"
    ),
    Option(
        ("--scheduler",),
        ("sweep",),
        "run the members on the workers of this scheduler of Dask, as in tcp://10.0.0.1:8786",
        str,
        "ADDRESS",
    ),
    Option(("--netcdf",), ("sweep",), "save the whole as a NetCDF file besides, when it is done", Path, "FILE"),
    Option(("--part",), ("sweep",), "members of a part that is written at once", count, "N"),
    Option(("--step",), ("sweep",), "the time step [s], or steps as for -p", parse_lengths, "H"),
    Option(
        ("--out",),
        ("sweep",),
        "keep what comes here while it runs, a folder NAME.zarr; the same command again computes what is missing",
        Path,
        "FOLDER",
    ),
    Option(
        ("--consistent-start",),
        ("run", "compile"),
        "start from the state that satisfies algebraic equations and "
        "laws and has the M x of the given one; what was changed is reported, and saved with the trajectory",
        None,
    ),
    Option(("--step",), ("run", "report"), "the time step [s]", one_number, "H"),
    Option(("--end",), ("run", "report", "sweep", "study"), "the end of the run [s]", one_number, "T"),
    Option(("--start",), ("run", "report", "study"), "the start of the run [s]", one_number, "T"),
    Option(
        ("--out",),
        ("run",),
        "save the trajectory here (.nc, .csv or .npz); without it nothing is saved, "
        "except what a failed or interrupted run reached",
        Path,
        "FILE",
    ),
    Option(("--every",), ("run", "report", "sweep"), "record each K-th step and the last one only", count, "K"),
    of_names(
        "--record",
        "run",
        "record these only: names of instances, quantities or columns, * for any text, "
        "e.g. --record z,'bead *.impulse'",
    ),
    Option(
        ("--plot",),
        ("run", "report", "study"),
        "draw columns against time, e.g. --plot z,z_dot; those of one unit share a panel; "
        "may be repeated, each with panels of its own; '*.z' is the z of all instances; "
        "without a name (--plot after MODEL) everything is drawn",
        str,
        "NAME[,NAME]",
        gather=tuple,
        bare=True,
    ),
    Option(
        ("--plot-file",),
        ("run", "study"),
        "where to draw; by default the model's name with .png, without matplotlib .html, a page that moves; .svg and "
        ".pdf are vectors, .html has zoom and values under the pointer; alone it draws everything",
        Path,
        "FILE",
    ),
    Option(("--look",), ("run",), "how the picture looks: screen (default), paper, dark", str, "LOOK"),
    Option(("--diagnose",), ("run",), "say what went well and what did not: penetration, drift, ranks, energy", None),
    Option(
        ("--animate",),
        ("run",),
        "write the run as FILE.html, which moves in a browser, with --plot as curves; FILE.mp4 and .gif are films",
        Path,
        "FILE",
    ),
    Option(
        ("--analysis",),
        ("inspect",),
        "relative degrees, index sets and one-step matrices; executes the model file",
        None,
    ),
    Option(("-o", "--output"), ("compile",), "write a package DIR/<model>/ that can be imported", Path, "DIR"),
    Option(("-o", "--output"), ("report",), "the page; by default the model's name with .html", Path, "FILE.html"),
    Option(("--latex",), ("derive",), "as a LaTeX document", None),
    Option(("--text",), ("derive",), "as plain text (the default)", None),
    Option(("--json",), ("derive",), "as JSON", None),
    Option(
        ("--plugin",),
        ("verify",),
        "a shared library: every function it exports is matched with the derived operators of the model, and compared",
        Path,
        "LIB.so",
    ),
    Option(
        ("--header",),
        ("verify",),
        "a header or source with the prototypes of the plugin; may be repeated",
        Path,
        "FILE",
        gather=tuple,
    ),
    Option(("--json",), ("verify",), "write one record per claim", Path, "FILE"),
    Option(("--html",), ("verify",), "write a page with typeset formulas", Path, "FILE"),
    Option(("--markdown",), ("verify",), "write a page of plain text with the verdicts", Path, "FILE"),
    Option(("--verdicts",), ("verify",), "write a line per claim: id, verdict, digest of the formula", Path, "FILE"),
    Option(
        ("--expect",),
        ("verify",),
        "compare with the file of an earlier --verdicts; then the exit code says whether the verdicts agree",
        Path,
        "FILE",
    ),
    Option(("--certified",), ("verify",), "exit with 4 where a proof has no certificate", None),
    Option(("--every-function",), ("verify",), "exit with 4 where a function of the plugin matches no operator", None),
    Option(("--only",), ("verify",), "show only claims with this verdict, e.g. refuted", verdict, "VERDICT"),
    Option(("--budget",), ("verify",), "seconds of processor time for each claim (default 30)", positive, "SECONDS"),
    Option(("--jobs",), ("verify",), "processes at once (default 2)", count, "N"),
    Option(("--seed",), ("verify", "sweep"), "of the random points (default 0)", count, "N"),
    Option(("--generic",), ("run",), "make all steps with the general stepper: the same numbers, slower", None),
    Option(
        ("--interpret",),
        ("run",),
        "compile nothing: kernels run in a register machine, the same numbers, slower "
        "(chosen without it where there is no compiler)",
        None,
    ),
    Option(("--native",), ("run", "sweep", "compile", "inspect"), "tune the kernels for this processor", None),
    Option(
        ("--rederive",), ("run", "sweep", "compile", "inspect"), "ignore what is remembered of the model file", None
    ),
    Option(
        ("-q", "--quiet"), ("run", "report", "sweep", "study", "compile", "verify"), "print nothing but errors", None
    ),
    Option(("--traceback",), tuple(COMMANDS), "show where in nsdgen an error was raised", None),
)

_ONE_OF = {"derive": ("latex", "text", "json")}
"""Options of which a command takes at most one."""


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; it checks spelling, ``read_values`` the texts."""
    parser = argparse.ArgumentParser(
        prog="nsdgen",
        description="Nonsmooth dynamical systems: from equations to compiled simulations.",
        epilog="nsdgen COMMAND --help shows the options of a command.",
    )
    parser.add_argument("--version", action=ShowVersion, help="show versions, and what nsdgen was built with")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for command, summary in COMMANDS.items():
        sub = commands.add_parser(command, help=summary, description=summary[0].upper() + summary[1:] + ".")
        one_of = _ONE_OF.get(command, ())
        group = sub.add_mutually_exclusive_group() if one_of else sub
        for option in _options_of(command):
            _declare(group if option.key in one_of else sub, option)
    return parser


def read_values(found: argparse.Namespace) -> argparse.Namespace:
    """The namespace a command works with; raises ``ParameterError`` for a text without value."""
    values = {option.key: option.value(getattr(found, option.key)) for option in _options_of(found.command)}
    return argparse.Namespace(command=found.command, **values)


def _options_of(command: str) -> Sequence[Option]:
    return [option for option in OPTIONS if command in option.commands]


def _declare(parser: Any, option: Option) -> None:
    keywords: dict[str, Any] = {"help": option.help.replace("%", "%%")}
    if option.names[0].startswith("-"):
        keywords["dest"] = option.key
    if option.read is None:
        keywords["action"] = "store_true"
    else:
        keywords["metavar"] = option.metavar
        if option.gather is not None:
            keywords |= {"action": "append"} if option.names[0].startswith("-") else {"nargs": "*"}
        if option.bare:
            keywords |= {"nargs": "?", "const": ""}
    parser.add_argument(*option.names, **keywords)
