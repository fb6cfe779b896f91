"""``generated/`` holds what the generator emits today, byte for byte, whatever the hash seed.

Three packages are committed, to be read; the texts of the other examples are emitted here and looked at.
"""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from nsdgen import abi
from nsdgen.base.pieces import apart, whole
from nsdgen.emit.package import write_package

from ..example_models import QUICK

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = ("cam_follower", "diode_bridge", "tumbling_brick")


@pytest.fixture(scope="module")
def text_of(emitted):
    """``text_of(name)``: the whole text of an example."""
    return lambda name: emitted(name).text


def test_these_packages_are_committed():
    assert sorted(path.parent.name for path in (ROOT / "generated").glob("*/model.json")) == [*COMMITTED]


@pytest.mark.parametrize("name", COMMITTED)
def test_the_committed_package_is_what_the_generator_writes(emitted, tmp_path, name):
    written = write_package(tmp_path, emitted(name).record, emitted(name).text, None)
    committed = ROOT / "generated" / name
    files = sorted(p.name for p in written.iterdir())
    assert files == sorted(p.name for p in committed.iterdir() if p.suffix != ".so" and p.name != "__pycache__")
    for file in files:
        assert (written / file).read_bytes() == (committed / file).read_bytes(), (
            f"generated/{name}/{file} differs: run `make generated` and review the difference"
        )


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.few(4)
def test_a_text_taken_apart_is_whole_again(text_of, name):
    kernels, pieces = apart(text_of(name))
    assert whole(kernels, pieces.__getitem__) == text_of(name)
    assert {"_module.pxi", "nsdgen_abi.h"} <= pieces.keys()
    assert all(
        text == (ROOT / "nsdgen" / "abi" / "include" / file).read_text()
        for file, text in pieces.items()
        if file.endswith(".h")
    )


def test_what_a_person_reads_comes_first_and_is_most_of_it():
    for name in COMMITTED:
        text = (ROOT / "generated" / name / "_kernels.pyx").read_text()
        assert text.index("# [tag]") < 2000 and text.endswith('include "_module.pxi"\n')
        assert "static const nsdgen_" not in text and "/* nsdgen_" not in text


EMIT = """
import hashlib, importlib.util, sys
from nsdgen.model.pipeline import emit_model
for path in sys.argv[1:]:
    spec = importlib.util.spec_from_file_location("example", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    emitted = emit_model(module.model)
    print(hashlib.sha256((emitted.text + emitted.record.to_json()).encode()).hexdigest())
"""


@pytest.mark.parametrize(("seed", "names"), [
    ("17", QUICK[::7]),
    pytest.param("1", QUICK[::2], marks=pytest.mark.slow),
    pytest.param("4711", QUICK[1::2], marks=pytest.mark.slow),
], ids=["some", "even", "odd"])  # fmt: skip
def test_the_hash_seed_changes_nothing(emitted, seed, names):
    """A process with an order of strings of its own, and this one."""
    paths = [str(ROOT / "examples" / f"{name}.py") for name in names]
    done = subprocess.run(
        [sys.executable, "-c", EMIT, *paths],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    assert done.stdout.split() == [
        hashlib.sha256((e.text + e.record.to_json()).encode()).hexdigest() for e in map(emitted, names)
    ]


def test_the_header_names_model_hashes_and_versions_and_no_date():
    text = (ROOT / "generated" / "cam_follower" / "_kernels.pyx").read_text()
    head = text[: text.index("from libc")]
    version = f"ABI           {abi.MAJOR}.{abi.MINOR}"
    for part in ("model cam_follower", "model hash", "template hash", version, "do not edit"):
        assert part in head
    assert "20" + "2" not in head  # no year


def test_branches_are_real_branches_and_named_as_in_the_model():
    text = (ROOT / "generated" / "cam_follower" / "_kernels.pyx").read_text()
    residual = text[text.index("cdef void follower_system0_residual(") :]
    residual = residual[: residual.index("\n\n\n")]
    for instant in ("k", "next"):  # nsd.let names of the example, told apart by the instant they are taken at
        assert f"turned_{instant} = nsd_mod(" in residual
        assert f"mu*c_tt_{instant}" in residual
    assert residual.count("elif") == 4  # two chains (t_k and t_next) of four pieces each
    # Everything a piece needs is computed inside it: before the first chain no root is taken.
    assert "sqrt" not in residual[: residual.index("if beta")]


@pytest.fixture
def kernel(text_of):
    """``kernel(name, title)``: a kernel of an example, from its comment to its last line."""

    def of(name, title):
        text = text_of(name)[text_of(name).index(f"# [tag] {name} / {title}\n") :]
        return text[: text.index("\n\n\n")]

    return of


def test_what_is_read_after_the_step_is_not_called_k(kernel):
    observe = kernel("diode_bridge", "bridge: observe")
    assert "v_next = in_[0][0]" in observe and "v_next [V]" in observe and "v_k" not in observe
    assert "z_next" in kernel("bouncing_ball", "floor: observe")
    assert "z_1_k" not in kernel("bead_column", "touch: observe")


def test_the_comments_say_where_gradients_are_taken(kernel):
    assert "H at q_bar" in kernel("tumbling_brick", "brick ground 0: evaluate")
    assert "H at" not in kernel("bouncing_ball", "floor: evaluate")  # it is constant
    assert "H at q_k + gradient_gamma h v_k" in kernel("disc_pile", "touch: evaluate")


def test_a_mode_is_called_a_mode(kernel):
    assert "        mode = 1.0\n" in kernel("bouncing_ball", "floor: activation")


def test_no_value_is_computed_with_the_wrong_sign_first(text_of):
    """``p0_next = -x21`` and ``theta - 1.0`` are correct and hard to read."""
    for name in QUICK:
        text = text_of(name)
        assert "theta - 1.0" not in text
        for function in text.split("cdef void ")[1:]:
            negated = re.findall(r"^ +\S+ = -(x\d+)$", function, re.MULTILINE)
            assert [x for x in negated if len(re.findall(rf"\b{x}\b", function)) == 3] == []  # declared, set, negated


def test_every_kernel_says_formula_shapes_operations_and_dependences(text_of):
    for name in QUICK:
        text = text_of(name)
        kernels = text[: text.index("# _module.pxi: ")].split("# [tag] ")[1:]
        for kernel in kernels:
            head = kernel[: kernel.index("cdef ")]
            assert "#   in  " in head
            assert "#   out " in head
            assert "operation" in head
            assert "depends: " in head


def test_an_infinite_bound_is_written_and_an_infinite_value_elsewhere_is_refused():
    import sympy as sp

    from nsdgen.abi import ClassKind, KernelRole, Quantity
    from nsdgen.derive.kernel import KernelClass, KernelModule, make_kernel, make_output
    from nsdgen.emit.module import emit_module
    from nsdgen.errors import EmissionError

    def text_with(role):
        bounds = make_output("bounds", Quantity.BOUNDS, sp.Matrix([-sp.oo, sp.oo]))
        kernel = make_kernel("bounds", role, 0, [], [bounds])
        return emit_module(KernelModule("m", (KernelClass("c", ClassKind.RELATION, 1, (kernel,)),))).text

    text = text_with(KernelRole.BOUNDS)
    assert "out[0][0] = -INFINITY\n" in text and "out[0][1] = INFINITY\n" in text
    with pytest.raises(EmissionError):
        text_with(KernelRole.OBSERVE)
