"""The ABI: header, Python enumerations and compiled runtime say the same."""

import ctypes
import importlib.resources
import re

import pytest
from nsdgen.runtime._table import KernelTable

from nsdgen import abi
from nsdgen.errors import ModuleMismatch

HEADER = (importlib.resources.files("nsdgen") / "include" / "nsdgen_abi.h").read_text()


@pytest.mark.parametrize(("enumeration", "prefix"), [
    (abi.Role, "NSDGEN_ROLE_"), (abi.Quantity, "NSDGEN_QUANTITY_"), (abi.KernelRole, "NSDGEN_KERNEL_")])
def test_enumerations_agree_with_the_header(enumeration, prefix):
    listed = {name: int(value) for name, value in re.findall(rf"{prefix}(\w+) = (\d+)", HEADER)}
    assert listed == {member.name: member.value for member in enumeration}


def test_versions_and_flags_agree_with_the_header():
    assert f"#define NSDGEN_ABI_MAJOR {abi.MAJOR}" in HEADER
    assert f"#define NSDGEN_ABI_MINOR {abi.MINOR}" in HEADER
    assert [int(f) for f in abi.Flag] == [1, 2, 4, 8]
    assert "1 symmetric, 2 diagonal, 4 zero without multiplier, 8 affine" in HEADER


class Module(ctypes.Structure):
    """The head of nsdgen_module, enough to forge its version and sizes."""

    _fields_ = [("numbers", ctypes.c_int32 * 6), ("name", ctypes.c_char_p), ("hash", ctypes.c_char_p),
                ("n_classes", ctypes.c_int32), ("classes", ctypes.c_void_p)]


def forged(numbers):
    """An object with a capsule around a module record of these versions and sizes."""
    record = Module((ctypes.c_int32 * 6)(*numbers), b"forged", b"0", 0, None)
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
    for place, change in ((0, 1), (2, 8), (3, -8), (4, 8), (5, 8)):
        wrong = list(numbers)
        wrong[place] += change
        with pytest.raises(ModuleMismatch, match=r"the module has ABI .* this runtime 1\.1"):
            KernelTable(forged(wrong))
    newer = list(numbers)
    newer[1] += 1  # a newer minor version only adds roles
    KernelTable(forged(newer))


def test_something_that_is_no_module_is_refused():
    with pytest.raises(ModuleMismatch, match="holds no nsdgen kernels"):
        KernelTable(object())


def test_a_record_of_other_kernels_is_refused(compiled):
    from nsdgen.study.run import CompiledModel

    ball, cam = compiled("bouncing_ball"), compiled("cam_follower")
    with pytest.raises(ModuleMismatch, match="the record expects"):
        CompiledModel(cam.record, ball.table.owner)


def test_the_batch_entry_equals_single_calls(compiled):
    import numpy as np

    force = compiled("cam_follower").follower.force
    t = np.linspace(0.0, 1.0, 101)
    batch = force(t[:, None], 0.1, 0.0)
    assert batch.shape == (101,)
    np.testing.assert_array_equal(batch, [force(float(s), 0.1, 0.0) for s in t])
