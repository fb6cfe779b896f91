"""What is not decided is said: second statements, files that end the program, functions that match nothing."""

from __future__ import annotations

import pytest
import sympy as sp

from nsdgen.cli.main import main
from nsdgen.errors import ParameterError
from nsdgen.verify import Claim, Equal, assert_jacobian, decide
from nsdgen.verify.claim import Reading

X, Y = sp.symbols("x y", real=True)
RIGHT, WRONG = Equal(2 * X, 2 * X), Equal(X, Y)


@pytest.mark.parametrize(
    "claim",
    [
        Claim("two", statements=[RIGHT, WRONG]),
        Claim("two", readings=[Reading("a", [RIGHT]), Reading("b", [WRONG])]),
        Claim("two", statements=[Equal(2 * X, Y, 2 * X)]),
    ],
)
def test_a_hand_side_takes_the_place_of_the_only_one_there_is(claim):
    with pytest.raises(ParameterError, match="more than one equality"):
        assert_jacobian(sp.Matrix([2 * X]), claim)


@pytest.mark.parametrize("text", ["import sys\nsys.exit(0)\n", "def claims():\n    raise SystemExit(0)\n"])
def test_a_file_of_claims_that_ends_the_program_is_an_error(tmp_path, text, capsys):
    path = tmp_path / "ending_claims.py"
    path.write_text(text)
    assert main(["verify", str(path)]) not in (0, 4)
    assert "ends the program" in capsys.readouterr().err


def test_what_is_said_about_a_claim_is_part_of_its_budget(monkeypatch):
    """The text of a verdict that never comes: what is known without it is said."""

    def endless(*_):
        while True:
            pass

    monkeypatch.setattr("nsdgen.verify.decision._found", endless)
    found = decide(Claim("endless", X, X + 1), budget=0.4)
    assert found.verdict == "refuted" and not found.entries
