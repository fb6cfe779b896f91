"""What is not decided is said: files that end the program, functions that match nothing."""

from __future__ import annotations

import pytest
import sympy as sp

from nsdgen.cli.main import main
from nsdgen.verify import Claim, decide


@pytest.mark.parametrize("text", ["import sys\nsys.exit(0)\n", "def claims():\n    raise SystemExit(0)\n"])
def test_a_file_of_claims_that_ends_the_program_is_an_error(tmp_path, text, capsys):
    path = tmp_path / "ending_claims.py"
    path.write_text(text)
    assert main(["verify", str(path)]) not in (0, 4)
    assert "the file of claims raises SystemExit: 0" in capsys.readouterr().err


def test_what_is_said_about_a_claim_is_part_of_its_budget(monkeypatch):
    """The text of a verdict that never comes: what is known without it is said."""

    def endless(*_):
        while True:
            pass

    monkeypatch.setattr("nsdgen.verify.decision._found", endless)
    x = sp.Symbol("x", real=True)
    found = decide(Claim("endless", x, x + 1), budget=0.4)
    assert found.verdict == "refuted" and not found.entries
