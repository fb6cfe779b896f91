"""Models give their tables: those derived in the repository, and published ones where a folder is named."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from .__main__ import main
from .case import load_case
from .compare import compare
from .derive_data import DATA, circuits, relays
from .given import case_folders, read_given
from .recursion import solve_by_trial, steps_of

pytestmark = pytest.mark.conformance
FOLDERS = [DATA, *map(Path, filter(None, [os.environ.get("NSDGEN_CONFORMANCE")]))]
CASES = [folder for place in FOLDERS for folder in case_folders(place) if load_case(folder.name) is not None]


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_a_model_gives_its_table(folder):
    case = load_case(folder.name)
    given = read_given(folder, case.table)
    comparison = compare(given, case, case.model.compile())
    assert comparison.passed, f"{comparison.where} is off by {comparison.error:.2e}, allowed {comparison.tolerance:.0e}"


def test_data_are_what_the_recursion_gives():
    planned = (circuits() | relays())["circuit_rlcd_tg_gammahalf"]
    given = read_given(DATA / "circuit_rlcd_tg_gammahalf")
    x, lam, _ = steps_of(planned.system, planned.h, planned.steps)
    assert np.abs(given.table[:, 1:3] - x[given.rows]).max() < 1e-14
    assert np.abs(given.table[:, 4] - lam[given.rows, 0]).max() < 1e-14


@pytest.mark.parametrize(("q", "lam"), [(1.0, -1.0), (-1.0, 1.0), (0.1, -0.2)])
def test_a_relay_is_solved_by_trial(q, lam):
    found, _ = solve_by_trial(np.array([[0.5]]), np.array([q]), -1.0, 1.0, None)
    assert found[0] == pytest.approx(lam)


class TestTheRunner:
    """What is said and returned; the folder of the data holds one case, changed."""

    @pytest.fixture
    def folder(self, tmp_path):
        slug = "circuit_rlcd_tg_gammahalf"
        (tmp_path / slug).mkdir()
        for name in ("case.toml", "reference.npz"):
            (tmp_path / slug / name).write_bytes((DATA / slug / name).read_bytes())
        return tmp_path

    def run(self, folder, capsys, *more):
        code = main([str(folder), "--no-peer", "--rounds", "1", *more])
        return code, capsys.readouterr().out

    def change(self, folder, before, after):
        path = next(folder.glob("*/case.toml"))
        path.write_text(path.read_text().replace(before, after))

    def test_agreement(self, folder, capsys):
        code, said = self.run(folder, capsys)
        assert code == 0 and "| 5 of 5 " in said and "| ok |" in said and "initial_multiplier='zero'" in said

    def test_the_compared_columns_are_listed(self, folder, capsys):
        _, said = self.run(folder, capsys, "--columns")
        assert "* circuit_rlcd_tg_gammahalf: t, x[0], x[1], -y[0], lambda[0]" in said

    def test_an_error_larger_than_the_tolerance(self, folder, capsys):
        self.change(folder, "1e-12", "1e-17")
        code, said = self.run(folder, capsys)
        assert code == 1 and "FAILED: the error is larger than the tolerance" in said

    def test_another_step(self, folder, capsys):
        self.change(folder, "h = 0.05", "h = 0.1")
        code, said = self.run(folder, capsys)
        assert code == 1 and "the table has the step 0.1" in said

    def test_a_column_that_the_model_file_does_not_explain(self, folder, capsys):
        self.change(folder, '"lambda[0]"', '"heat"')
        self.change(folder, "h =", "compare_columns = [4]\nh =")
        code, said = self.run(folder, capsys)
        assert code == 1 and "what the column 'heat' of the table is" in said

    def test_no_model(self, folder, capsys):
        next(folder.glob("circuit*")).rename(folder / "unheard_of")
        code, said = self.run(folder, capsys)
        assert code == 0 and "no model" in said

    def test_the_tolerance_of_the_case_is_not_loosened_by_its_model_file(self, folder):
        given = read_given(next(folder.glob("circuit*")))
        case = replace(load_case(given.slug), tolerance=1.0)
        assert compare(given, case, case.model.compile()).tolerance == 1e-12

    def test_a_case_that_is_not_there(self, folder, capsys):
        assert main([str(folder), "--only", "circuit*", "circiut*"]) == 2
        assert "is called circiut*" in capsys.readouterr().err

    def test_nothing_to_run(self, tmp_path, capsys):
        assert main([str(tmp_path)]) == 2 and "no case folder" in capsys.readouterr().err


def test_an_error_that_is_no_number_fails():
    given = read_given(DATA / "circuit_rlcd_tg_gammahalf")
    case = load_case(given.slug)
    broken = replace(case, columns={**case.columns, "x[1]": lambda run: run["i"] * np.nan})
    comparison = compare(given, broken, case.model.compile())
    assert not comparison.passed and comparison.where == "x[1]"


def test_a_chaotic_table_is_compared_up_to_a_time():
    given = read_given(DATA / "circuit_rlcd_tg_gammahalf")
    late = replace(given, table=np.where(given.rows[:, None] > 40, 7.0, given.table))
    case = load_case(given.slug)
    assert not compare(late, case, case.model.compile()).passed
    assert compare(late, replace(case, until=2.0), case.model.compile()).passed
