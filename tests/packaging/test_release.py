"""What a release needs, as far as it can be told without building one."""

import tomllib

from .release import ROOT, versions


def test_one_version_everywhere():
    assert len(set(versions().values())) == 1 and "" not in versions().values()


def test_every_python_that_is_supported_gets_a_wheel():
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    oldest = table["project"]["requires-python"].removeprefix(">=").replace(".", "")
    assert table["tool"]["cibuildwheel"]["build"].startswith(f"cp{oldest}-")
