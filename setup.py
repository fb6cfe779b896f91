"""The compiled parts and the template folder; everything else is in pyproject.toml."""

from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup

_MODULES = (
    "nsdgen.solvers._active",
    "nsdgen.solvers._block_lu",
    "nsdgen.solvers._blocks",
    "nsdgen.solvers._box",
    "nsdgen.solvers._cone",
    "nsdgen.solvers._contact",
    "nsdgen.solvers._dense",
    "nsdgen.solvers._dictionary",
    "nsdgen.solvers._first_round",
    "nsdgen.solvers._fischer_burmeister",
    "nsdgen.solvers._graph_factors",
    "nsdgen.solvers._infeasible",
    "nsdgen.solvers._lemke",
    "nsdgen.solvers._local",
    "nsdgen.solvers._min_norm",
    "nsdgen.solvers._mlcp",
    "nsdgen.solvers._natural",
    "nsdgen.solvers._newton",
    "nsdgen.solvers._nsgs",
    "nsdgen.solvers._one_step",
    "nsdgen.solvers._one_step_factor",
    "nsdgen.solvers._one_step_newton",
    "nsdgen.solvers._one_step_path",
    "nsdgen.solvers._one_step_rescue",
    "nsdgen.solvers._one_step_rows",
    "nsdgen.solvers._one_step_shortest",
    "nsdgen.solvers._parts",
    "nsdgen.solvers._quick",
    "nsdgen.solvers._rolling",
    "nsdgen.solvers._scales",
    "nsdgen.solvers._slip",
    "nsdgen.solvers._unique",
    "nsdgen.runtime._arena",
    "nsdgen.runtime._assembly",
    "nsdgen.runtime._graph",
    "nsdgen.runtime._measure",
    "nsdgen.runtime._stage",
    "nsdgen.runtime._stepper",
    "nsdgen.runtime._table",
)

# Row operations over thousands of columns gain from vector instructions, products of blocks
# from loops written out; nothing else does.
_OPTIMISE = {"nsdgen.solvers._dictionary": "-O3", "nsdgen.solvers._block_lu": "-O3"}

extensions = [
    Extension(
        name,
        [name.replace(".", "/") + ".pyx"],
        include_dirs=["nsdgen/include"],
        extra_compile_args=[_OPTIMISE.get(name, "-O2"), "-ffp-contract=off", "-fno-math-errno"],
    )
    for name in _MODULES
]

setup(
    packages=[*find_packages(include=["nsdgen", "nsdgen.*"]), "nsdgen.templates"],
    package_dir={"nsdgen.templates": "templates"},
    ext_modules=cythonize(extensions, build_dir="build/cython", language_level=3),
)
