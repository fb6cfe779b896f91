"""Damaged records: a package whose model.json was edited runs or is refused by name; it reaches no memory of others."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from nsdgen.emit.package import write_package
from nsdgen.errors import ModuleMismatch, NsdgenError
from nsdgen.record.model_record import ModelRecord
from nsdgen.study.compiled_model import CompiledModel

from ..example_models import QUICK

HERE = Path(__file__).parent
SMALL, LARGE = 30, 2000


@pytest.fixture(scope="module")
def package(emitted, tmp_path_factory):
    """``package(name)``: the folder of an example's package."""
    folder = tmp_path_factory.mktemp("packages")

    def written(name: str) -> Path:
        return write_package(folder, emitted(name).record, emitted(name).text, None)

    return written


def tried(folders: Sequence[Path], first: int, count: int) -> str:
    done = subprocess.run(
        [sys.executable, str(HERE / "record_worker.py"), str(first), str(first + count), *map(str, folders)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{done.stdout[-60:]}\n{done.stderr[-4000:]}"
    return done.stdout


def test_damaged_records(package):
    """Of all packages in one process, which starts and loads Cython once; what it printed last is what ended it."""
    said = tried([package(name) for name in QUICK], 0, SMALL)
    assert all(f"{name}: " in said for name in QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_many_damaged_records(package, name):
    tried([package(name)], SMALL, LARGE)


CRASHED = [
    ("system_classes", 0, "n_frozen_step", [3]),
    ("system_classes", 0, "n_frozen_step", []),
    ("relation_classes", 0, "cones", [[]]),
    ("relation_classes", 0, "cones", []),
    ("relation_classes", 0, "cones", [[[5, 1]]]),
    ("relation_classes", 0, "n_multiplier", [-1]),
    ("relation_classes", 0, "n_memory", 2**31 - 1),
    ("relations", 0, "participants", [1]),
    ("relations", 0, "participants", []),
    ("relations", 0, "participants", [-1]),
    ("systems", 0, "cls", 1),
    ("systems", 0, "cls", -1),
    ("stages", 0, "schemes", []),
    ("stages", 0, "schemes", [7]),
    ("stages", 0, "max_iterations", 2**31),
    ("stages", 0, "skipped", True),
    ("system_classes", 0, "unit_norm", [[99]]),
    ("relation_classes", 0, "gap", 9),
    ("system_classes", 0, "mass_rank", 1),
    ("system_classes", 0, "algebraic", [[0]]),
    ("relation_classes", 0, "cuts", [["x", 1]]),
    ("schemes", 0, "options", []),
]


@pytest.mark.parametrize("place", CRASHED, ids=str)
def test_what_reached_memory_of_others_is_refused(compiled, place):
    ball = compiled("bouncing_ball")
    data = json.loads(ball.record.to_json())
    table, number, field, value = place
    data[table][number][field] = value
    with pytest.raises(NsdgenError):
        CompiledModel(ModelRecord.from_json(json.dumps(data)), ball.table.owner).run(end=0.01)


def without_relations(data):
    data["relations"] = []


def acting_on_another(data):
    data["systems"].append({**data["systems"][0], "name": "other"})
    data["relations"][0]["participants"] = [1]


def always_active(data):
    data["relation_classes"][0]["always_active"] = True


def started_once(data):
    data["stages"][0]["at"] = "start"


@pytest.mark.parametrize("change", [without_relations, acting_on_another, always_active, started_once])
def test_steps_that_were_written_for_another_graph_are_refused(compiled, change):
    ball = compiled("bouncing_ball")
    assert ball.fused
    data = json.loads(ball.record.to_json())
    change(data)
    with pytest.raises(ModuleMismatch, match="its systems, relations and stages are not those"):
        CompiledModel(ModelRecord.from_json(json.dumps(data)), ball.table.owner)


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", "[" * 100_000, '{"format": 3}', '{"format": "3"}', "\ud800"])
def test_what_is_no_record_is_refused(text):
    with pytest.raises(ModuleMismatch, match=r"model\.json (is damaged|has format)"):
        ModelRecord.from_json(text)
