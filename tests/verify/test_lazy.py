"""What is imported when: nothing heavy before something is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import nsdgen.verify


def modules_after(code):
    """Names of the modules that are loaded after some code ran in a new process."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("code", ["import nsdgen.verify", "import nsdgen; nsdgen.verify"])
def test_the_package_loads_neither_sympy_nor_numpy(code):
    assert not {"sympy", "numpy", "mpmath"} & modules_after(code)


def test_the_pytest_plugin_loads_nothing_of_it():
    loaded = modules_after("import nsdgen.verify.pytest_plugin")
    assert not {"sympy", "numpy"} & loaded
    door = {"nsdgen.base", *(f"nsdgen.base.{name}" for name in ("checkout", "lazy_names", "of_symbols", "version"))}
    assert {m for m in loaded if m.startswith("nsdgen.")} == {*door, "nsdgen.verify", "nsdgen.verify.pytest_plugin"}


def test_every_public_name_is_there_and_none_is_hidden_by_a_module():
    for name in nsdgen.verify.__all__:
        found = getattr(nsdgen.verify, name)
        assert type(found).__name__ != "module", name
        assert name in dir(nsdgen.verify)
    with pytest.raises(AttributeError, match="no attribute 'decided'"):
        nsdgen.verify.decided  # noqa: B018
