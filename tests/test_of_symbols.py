"""Scripts that take symbols for numbers: SymPy and NumPy raise, and what is shown says how to write it."""

import subprocess
import sys

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.base.of_symbols import way_to_write

x, v = sp.Function("x")(sp.Symbol("t")), sp.Function("v")(sp.Symbol("t"))

SCRIPT = """import math
import numpy as np
import nsdgen as nsd
from sympy.physics.mechanics import dynamicsymbols
x, v = dynamicsymbols("x v")
{}
"""


@pytest.mark.parametrize(
    ("line", "way"),
    [("force = -1 if v > 0 else 1", "nsd.piecewise((a, v > 0), (b, True))"), ("np.arctan2(x, v)", "sympy.atan2(y, x)")],
)
def test_a_script_ends_with_the_way_to_write(tmp_path, line, way):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(line))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and last.startswith("nsdgen: ") and way in last
    assert line in done.stderr  # the traceback is shown as ever


def test_ipython_which_shows_errors_itself_tells_it_as_well(tmp_path):
    """A shell that does what IPython's does with its handlers; notebooks on it had shown SymPy's words alone."""
    (tmp_path / "IPython.py").write_text(
        "class Shell:\n    custom_exceptions = ()\n"
        "    def set_custom_exc(self, kinds, handler): self.custom_exceptions, self.handler = kinds, handler\n"
        "    def showtraceback(self, given, tb_offset): print('shown:', given[0].__name__)\n"
        "shell = Shell()\ndef get_ipython(): return shell\n"
    )
    script = tmp_path / "script.py"
    cell = (
        "try:\n    {}\nexcept shell.custom_exceptions as error:\n    shell.handler(shell, type(error), error, None)\n"
    )
    script.write_text(
        SCRIPT.format("").replace("import math", "import IPython\nfrom IPython import shell")
        + cell.format("1 if v > 0 else 2")
        + cell.format("1 + 'a'")
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout == "shown: TypeError\nshown: TypeError\n"
    (told,) = done.stderr.splitlines()
    assert told.startswith("nsdgen: ") and "nsd.piecewise((a, v > 0), (b, True))" in told


def test_other_errors_and_other_hooks_stay_as_they_are(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nsys.excepthook = lambda kind, error, _: print('mine:', error, getattr(error, '__notes__', []))\n"
        "import nsdgen\nimport sympy\nraise TypeError('an own one')\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.stdout == "mine: an own one []\n"


@pytest.mark.parametrize(
    ("asked", "way"),
    [
        (lambda: np.where(v > 0, 1, 0), "nsd.piecewise"),
        (lambda: max(v, 0), "sympy.Max"),
        (lambda: v > 0 and x > 0, "sympy.And"),
        (lambda: np.sin(v), "sympy.sin"),
        (lambda: np.arcsin(v), "sympy.asin"),
        (lambda: np.heaviside(v, 1), "sympy.Heaviside"),
        (lambda: np.hypot(x, v), "sympy.sqrt(x**2 + y**2)"),
        (lambda: int(v), "sympy.floor"),
        (lambda: v - nsd.multipliers("lam", 1), "lam[0]"),
        (lambda: v + nsd.multipliers("lam", 1), "lam[0]"),
        (lambda: nsd.multipliers("lam", 2) + 1, "lam[0]"),
        (lambda: nsd.multipliers("lam", 2) > 0, "lam[0]"),
        (lambda: np.select([v > 0], [1], 0), "nsd.piecewise"),
        (lambda: list(range(sp.Symbol("n"))), "give the number"),
    ],
)
def test_each_has_its_way(asked, way):
    """The words are those of the SymPy and NumPy at hand."""
    with pytest.raises((TypeError, AttributeError)) as caught:
        asked()
    assert way in way_to_write(caught.value)
