"""Damaged records: a model.json that was edited is refused by name, or read as it was written."""

import json
import random
from contextlib import suppress

import pytest
from mutations import spoilt

from nsdgen.errors import ModuleMismatch
from nsdgen.record.model_record import ModelRecord

from ..example_models import QUICK


@pytest.mark.parametrize("name", QUICK)
def test_damaged_records(emitted, name):
    record = emitted(name).record
    good, rng = record.to_json().encode(), random.Random(1)
    for _ in range(300):
        with suppress(ModuleMismatch):
            assert ModelRecord.from_json(spoilt(good, rng).decode("utf-8", "replace")) == record


EDITS = [
    ("system_classes", 0, "n_frozen_step", [3]),
    ("relation_classes", 0, "cones", [[[5, 1]]]),
    ("relation_classes", 0, "n_memory", 2**31 - 1),
    ("relations", 0, 2, [1]),
    ("systems", 0, 1, -1),
    ("systems", 0, 3, [2.0, 0.0]),
    ("stages", 0, "schemes", [7]),
    ("parameters", 0, "value", 2.0),
]
"""Most would reach memory of others; with the last ones another model would run than the one that was compiled."""


@pytest.mark.parametrize("place", EDITS, ids=str)
def test_edited_records_are_refused(emitted, place):
    data = json.loads(emitted("bouncing_ball").record.to_json())
    table, number, field, value = place
    data[table][number][field] = value
    with pytest.raises(ModuleMismatch, match="damaged, or was edited"):
        ModelRecord.from_json(json.dumps(data, ensure_ascii=False, indent=1))


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", "[" * 100_000, '{"format": 3}', '{"format": "3"}', "\ud800"])
def test_what_is_no_record_is_refused(text):
    with pytest.raises(ModuleMismatch, match=r"model\.json (is damaged|has format)"):
        ModelRecord.from_json(text)
