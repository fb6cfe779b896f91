"""Any arguments whatever: the command line ends with one of its exit codes and, where it refuses, a message."""

import contextlib
import io
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nsdgen.cli.main import main
from nsdgen.cli.options import OPTIONS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SPY = "__import__('pathlib').Path('executed').touch() or 1"
SMALL, LARGE = 150, 5000

NUMBERS = [
    "",
    " ",
    "=",
    "1",
    "-1",
    "0",
    "1e400",
    "nan",
    "inf",
    "10**23",
    "9" * 5000,
    "0x",
    "1_0",
    "True",
    "[1,2]",
    "[",
    "]",
    "1,2",
    "(((1)))",
    "-" * 900 + "1",
]
ASSIGNED = [
    "z",
    "z=1",
    "m=2",
    "m=",
    "=1",
    "m=nan",
    "m=1e400",
    "m=2**9999",
    "m=[1]",
    "g=True",
    "g='1'",
    "theta=2",
    "theta=1",
    "rotation=x",
    "ball.z=3",
    "ball.z=[1,2]",
]
NAMES = ["*", "*.z", "ball.*", "*a*a*a*b", "\u202e", "é\n", "\x7f", "refuted"]
FILES = [
    "a/b",
    "../x",
    "/dev/null",
    "out.nc",
    "out.csv",
    "out.npz",
    "out.png",
    "nowhere/out.nc",
    ".",
    "ball.py",
    "ball.py:model",
    "ball.py:nothing",
    "claims.py",
    "model.json",
    "junk.nc",
    "junk.npz",
]
ATTACKS = [
    SPY,
    f"m={SPY}",
    f"--out={SPY}",
    f"{SPY}.nc",
    "%s%n",
    "$(touch executed)",
    "`touch executed`",
    ";touch executed",
]
values = st.sampled_from(NUMBERS + ASSIGNED + NAMES + FILES + ATTACKS)
texts = st.one_of(values, st.text(st.characters(exclude_characters="\x00", exclude_categories=("Cs",)), max_size=12))
known = {n for o in OPTIONS for n in o.names if n.startswith("-")}
flags = st.sampled_from(sorted(known | {"--help", "-x", "--", "--no"}))
words = st.one_of(flags, texts, st.tuples(flags, values).map("=".join))
commands = st.sampled_from(["run", "inspect", "derive", "compile", "doctor", "verify", "", "walk"])
targets = st.sampled_from(
    ["ball.py", "ball.py", "ball.py", "package", "junk.nc", "junk.npz", "empty", "missing", "text.py", "."]
)
likely = st.sampled_from(
    [
        "-p",
        "--initial",
        "--scheme",
        "--step",
        "--end",
        "--start",
        "--every",
        "--record",
        "--plot",
        "--plot-file",
        "--out",
    ]
)
lines = st.one_of(
    st.lists(words, max_size=6),
    st.builds(lambda c, t, rest: [c, t, *rest], commands, targets, st.lists(words, max_size=5)),
    st.builds(
        lambda t, pairs: ["run", t, *(w for pair in pairs for w in pair)],
        targets,
        st.lists(st.tuples(likely, texts), max_size=5),
    ),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a model, a package and some files that are none; the working folder meanwhile."""
    folder, before = tmp_path_factory.mktemp("line"), Path.cwd()
    model = (EXAMPLES / "bouncing_ball.py").read_text(encoding="utf-8")
    (folder / "ball.py").write_text(model.replace("end=", "end=0.01 * "), encoding="utf-8")
    shutil.copytree(
        EXAMPLES.parent / "generated" / "diode_bridge",
        folder / "package",
        ignore=shutil.ignore_patterns("*.so", "__pycache__"),
    )
    for name in ("junk.nc", "junk.npz", "text.py"):
        (folder / name).write_text("no python, no file", encoding="utf-8")
    (folder / "empty").mkdir()
    os.chdir(folder)
    yield folder
    os.chdir(before)


def called(arguments, place):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as stop:  # argparse
            code = stop.code or 0
    assert code in (0, 1, 2, 3, 4), arguments
    begins = ("nsdgen: ", "usage: ", "Traceback") if "--traceback" in arguments else ("nsdgen: ", "usage: ")
    # Doctor and verify report on standard output what they find wrong.
    assert code in (0, 3, 4) or err.getvalue().startswith(begins), (arguments, err.getvalue()[:300])
    assert not list(place.rglob("executed")), arguments


@settings(max_examples=SMALL)
@given(arguments=lines)
def test_any_arguments(arguments, place):
    called(arguments, place)


@pytest.mark.slow
@settings(max_examples=LARGE)
@given(arguments=lines)
def test_many_arguments(arguments, place):
    called(arguments, place)
