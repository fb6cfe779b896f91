"""The ABI: header, Python enumerations and compiled runtime say the same."""

import ctypes
import importlib.resources
import re

import numpy as np
import pytest
from nsdgen.runtime._binding import KernelTable

from nsdgen import abi
from nsdgen.errors import ModuleMismatch

HEADER = (importlib.resources.files("nsdgen") / "abi" / "include" / "nsdgen_abi.h").read_text()


@pytest.mark.parametrize(
    ("enumeration", "prefix"),
    [(abi.Role, "NSDGEN_ROLE_"), (abi.Quantity, "NSDGEN_QUANTITY_"), (abi.KernelRole, "NSDGEN_KERNEL_")],
)
def test_enumerations_agree_with_the_header(enumeration, prefix):
    listed = {name: int(value) for name, value in re.findall(rf"{prefix}(\w+) = (\d+)", HEADER)}
    assert listed == {member.name: member.value for member in enumeration}


def test_versions_and_flags_agree_with_the_header():
    assert f"#define NSDGEN_ABI_MAJOR {abi.MAJOR}" in HEADER
    assert f"#define NSDGEN_ABI_MINOR {abi.MINOR}" in HEADER
    assert [int(f) for f in abi.Flag] == [1, 2]
    assert "1 zero without multiplier, 2 affine" in HEADER


class Module(ctypes.Structure):
    """The head of nsdgen_module, enough to forge its version and sizes."""

    _fields_ = [
        ("numbers", ctypes.c_int32 * 7),
        ("name", ctypes.c_char_p),
        ("hash", ctypes.c_char_p),
        ("n_classes", ctypes.c_int32),
        ("classes", ctypes.c_void_p),
        ("steps", ctypes.c_void_p),
        ("lanes", ctypes.c_int32),
        ("lane_steps", ctypes.c_void_p),
    ]


def forged(numbers):
    """An object with a capsule around a module record of these versions and sizes."""
    record = Module((ctypes.c_int32 * 7)(*numbers), b"forged", b"0", 0, None, None, 0, None)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

    class Holder:
        keep = record, (tag := b"nsdgen.abi")
        __nsdgen__ = new(ctypes.addressof(record), tag, None)

    return Holder()


def own_numbers(compiled):
    """Version and sizes of a module this runtime accepts."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    pointer = get(compiled("bouncing_ball").table.owner.__nsdgen__, b"nsdgen.abi")
    return list(Module.from_address(pointer).numbers)


def test_another_major_version_or_other_sizes_are_refused(compiled):
    numbers = own_numbers(compiled)
    assert KernelTable(forged(numbers)).name == "forged"
    for place, change in ((0, 1), (2, 8), (3, -8), (4, 8), (5, 8), (6, -8)):
        wrong = list(numbers)
        wrong[place] += change
        with pytest.raises(ModuleMismatch, match=rf"the module has ABI .* this runtime {abi.MAJOR}\.{abi.MINOR}"):
            KernelTable(forged(wrong))
    newer = list(numbers)
    newer[1] += 1  # a newer minor version only adds roles
    KernelTable(forged(newer))


def test_something_that_is_no_module_is_refused():
    with pytest.raises(ModuleMismatch, match="holds no nsdgen kernels"):
        KernelTable(object())


def test_a_record_of_other_kernels_is_refused(compiled):
    from nsdgen.study.compiled_model import CompiledModel

    ball, cam = compiled("bouncing_ball"), compiled("cam_follower")
    with pytest.raises(ModuleMismatch, match="the record expects"):
        CompiledModel(cam.record, ball.table.owner)


def test_the_batch_entry_equals_single_calls(compiled):
    force = compiled("cam_follower").follower.force
    t = np.linspace(0.0, 1.0, 101)
    batch = force(t[:, None], 0.1, 0.0)
    assert batch.shape == (101,)
    np.testing.assert_array_equal(batch, [force(float(s), 0.1, 0.0) for s in t])


def test_leading_axes_broadcast_whichever_argument_has_them(compiled):
    """One value for all, a row, a column, a table: each against single calls."""
    gap = compiled("tumbling_brick")["brick ground 0"].gap_q
    rng = np.random.default_rng(4)
    t, q = rng.normal(size=(4, 1, 1)), rng.normal(size=(3, 7))
    found = gap(t, q)
    assert found.shape == (4, 3, 1, 7)
    for i, j in np.ndindex(4, 3):
        np.testing.assert_array_equal(found[i, j], gap(t[i, 0, 0], q[j]))
    np.testing.assert_array_equal(gap(t[0, 0, 0], q), found[0])
    np.testing.assert_array_equal(gap(t[0, 0, 0], q[:1]), found[0, :1])
    assert gap(0.0, np.zeros((0, 7))).shape == (0, 1, 7)
    assert gap(np.zeros((0, 1)), q[0]).shape == (0, 1, 7)


def test_buffers_that_are_too_short_are_refused(compiled):
    table = compiled("bouncing_ball").table
    info = next(k for k in table.classes[0].kernels if k.name == "mass")
    with pytest.raises(ValueError, match="a buffer of 3 doubles is too short for 2 instances of 2"):
        table.call_many(info, 2, [np.zeros(2), np.zeros(3)], [1, 2], [np.zeros(2)], [1])


def test_every_field_of_the_table_says_what_the_derivation_found(compiled, example):
    """The table in C, read back, against the records it was emitted from."""
    for name in ("tumbling_brick", "disc_pile", "diode_bridge"):
        derived, table = example(name).model.derive().module, compiled(name).table
        assert [(c.name, c.kind) for c in table.classes] == [(c.name, c.kind) for c in derived.classes]
        for found, stated in zip(table.classes, derived.classes, strict=True):
            for k, kernel in zip(found.kernels, stated.kernels, strict=True):
                assert (k.name, k.role, k.stage) == (kernel.name, kernel.role, kernel.stage)
                assert [(a.name, a.role, a.size, a.participant) for a in k.inputs] == [
                    (a.name, a.role, len(a.symbols), a.participant) for a in kernel.inputs
                ]
                assert [
                    (
                        o.name,
                        o.quantity,
                        o.rows,
                        o.cols,
                        o.nnz,
                        o.depends,
                        o.flags,
                        o.participant,
                        o.participant2,
                        o.positions,
                    )
                    for o in k.outputs
                ] == [
                    (
                        o.name,
                        o.quantity,
                        o.rows,
                        o.cols,
                        len(o.entries),
                        o.depends,
                        o.flags,
                        o.participant,
                        o.participant2,
                        None if o.dense else tuple((i, j) for i, j, _ in o.entries),
                    )
                    for o in kernel.outputs
                ]
