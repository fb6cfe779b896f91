"""The compiled parts and the template folder; everything else is in pyproject.toml.

Every .pyx file below nsdgen is an extension module, most of them a unit of the .pxi files that it includes: each
module costs half a second to make, and compilers put functions of their own module in line. All of them take
Cython's memoryviews from one module of their own, which is made here as well, instead of carrying a copy each.
"""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy
from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

MEMORYVIEWS = "nsdgen._cyutility"
HEADERS = sorted(path.as_posix() for path in Path("nsdgen/abi/include").glob("*.h"))
# Row operations over thousands of columns gain from vector instructions, products of blocks
# from loops written out; nothing else does. What runs once for a model compiles twice as fast at -O1,
# and four times at -Og.
OPTIMISE = {
    "_linalg": "-O3",
    "_row_methods": "-O3",
    "_interaction": "-O3",
    "_piles": "-O3",
    "_stages": "-O3",
    "_binding": "-Og",
    "_cyutility": "-O1",
}
# Passes that cost a fifth of the compiler's time, for parts in which little of a run's time is spent.
SPARED = ["-fno-tree-pre", "-fno-gcse", "-fno-schedule-insns2", "-fno-tree-vrp"]
# Where the compiler knows them: each operation of the register machine jumps to the next one itself.
OPTIONAL = {
    "_machine": ["-fno-gcse", "-fno-crossjumping"],
    **dict.fromkeys(["_runs", "_shapes", "_rescue", "_traced_rows"], SPARED),
}
# No debug information, and no warnings: they are about the C that Cython writes.
FLAGS = ["-g0", "-w", "-ffp-contract=off", "-fno-math-errno"]
JOBS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
BATCH = 8  # translated between two chances to say how far it is


class Progress:
    """A line every few seconds, none where all is done in less."""

    SECONDS = 3.0

    def __init__(self):
        self.said = time.monotonic()

    def say(self, line):
        if time.monotonic() - self.said > self.SECONDS:
            self.said = time.monotonic()
            print(f"  {line}", flush=True)


class BuildParts(build_ext):
    """Translates and compiles on all processors unless told otherwise."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or JOBS
        if self.inplace or self.editable_mode:  # an editable install finds what was built in place before it
            self.build_lib, self.build_temp = "build/parts", "build/objects"

    def run(self):
        # bootstrap.sh compiles in place while pip installs the package
        if not (self.editable_mode and os.environ.get("NSDGEN_PARTS") == "elsewhere"):
            super().run()

    def build_extensions(self):
        self.progress, self.done = Progress(), 0
        for first in range(0, len(self.extensions), BATCH):
            translate(self.extensions[first : first + BATCH], self.parallel)
            self.progress.say(f"translated {min(first + BATCH, len(self.extensions))} of {len(self.extensions)} parts")
        self.extensions.sort(key=lambda ext: -os.path.getsize(ext.sources[0]))  # the longest first
        super().build_extensions()

    def build_extension(self, ext):
        wanted = OPTIONAL.get(ext.name.rpartition(".")[2], [])
        if wanted and knows(self.compiler.compiler_so, wanted):
            ext.extra_compile_args = [*ext.extra_compile_args, *wanted]
        super().build_extension(ext)
        self.done += 1
        self.progress.say(f"compiled {self.done} of {len(self.extensions)} parts")


def knows(compiler, flags):
    """Whether a compiler takes these flags: Apple's and others take an unknown one for an error."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.c")
        empty.touch()
        command = [*compiler, *flags, "-Werror", "-c", str(empty), "-o", str(empty.with_suffix(".o"))]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def translate(extensions, jobs):
    """Replace the sources of extensions by the C that Cython makes of them, where they changed."""
    from Cython.Build import cythonize

    made = cythonize(
        extensions,
        build_dir="build/cython",
        language_level=3,
        nthreads=jobs,
        quiet=True,
        shared_utility_qualified_name=MEMORYVIEWS,
    )
    for ext, result in zip(extensions, made, strict=True):
        ext.sources = result.sources


def part(name, source):
    optimise = OPTIMISE.get(name.rpartition(".")[2], "-O2")
    flags = [*optimise.split(), *FLAGS]
    folders = ["nsdgen/abi/include", numpy.get_include()]
    return Extension(name, [source], include_dirs=folders, extra_compile_args=flags, depends=HEADERS)


def parts():
    """An extension for each .pyx file, wherever it lies, and the one of the memoryviews."""
    sources = sorted(path.as_posix() for path in Path("nsdgen").rglob("*.pyx"))
    return [
        *(part(source.removesuffix(".pyx").replace("/", "."), source) for source in sources),
        part(MEMORYVIEWS, MEMORYVIEWS.replace(".", "/") + ".c"),
    ]


# Cython's processes import this file once more where they are not forked.
if __name__ == "__main__":
    setup(
        packages=[*find_packages(include=["nsdgen", "nsdgen.*"]), "nsdgen.templates"],
        package_dir={"nsdgen.templates": "templates"},
        ext_modules=parts(),
        cmdclass={"build_ext": BuildParts},
    )
