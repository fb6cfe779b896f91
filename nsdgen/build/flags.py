"""What is asked of the compiler, and of the build as a whole."""

import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# Two people must get the same digits from one model: no fast-math, and no fused
# multiply-add unless the formula says so. errno is never read after sqrt.
_NUMERIC = ("-ffp-contract=off", "-fno-math-errno")

# Long straight lines of arithmetic gain nothing from the passes that -O2 adds, which take most of the
# time there: a bar of 200 coordinates builds in 3.0 s instead of 6.8 and steps in 3.3 µs instead of 3.1.
_LONG = 100_000

# What short kernels need of the passes of -O2: where a store might change the pointer it goes through, each entry of
# an array is written after loading its address again; two entries at once, with the same rounding, take half the time.
# Over thousands of stores in one function that takes the compiler four times as long.
_SHORT_KERNELS = ("-fstrict-aliasing", "-ftree-slp-vectorize")

# Where gcc 12 puts straight lines into vectors, it makes one operation of products and the sums and differences beside
# them if the processor has one (vfmaddsub), whatever -ffp-contract says. Lanes are vectors as they are written.
_UNFUSED = ("-fno-tree-slp-vectorize",)

# A misspelt function would otherwise compile and fail only when the module is loaded.
_CHECKS = ("-Werror=implicit-function-declaration",)

_SHARED = ("-fPIC", "-shared")
_BUNDLE = ("-fPIC", "-bundle", "-undefined", "dynamic_lookup")

# On these machines compilers take the processor from -mcpu, elsewhere from -march.
_MCPU_MACHINES = frozenset({"aarch64", "arm64", "ppc64le"})

# The lines of /proc/cpuinfo that name a processor; the others count or measure.
_CPU_LINES = frozenset(
    {
        "vendor_id", "cpu family", "model", "model name", "stepping", "flags",
        "Features", "CPU implementer", "CPU architecture", "CPU variant", "CPU part",
        "cpu", "revision", "isa", "uarch",
    }
)  # fmt: skip


@dataclass(frozen=True)
class BuildOptions:
    """How to build.

    ``native`` tunes for this processor (which then enters the key); ``lanes`` compiles what steps several members
    of an ensemble at once, too; ``cache`` replaces the default place of the cache; ``patience`` is how many seconds
    to wait for another process that builds the same text before building it here as well.
    """

    native: bool = False
    lanes: bool = False
    cache: Path | None = None
    patience: float = 300.0


def compile_flags(
    native: bool = False, *, lanes: bool = False, characters: int = 0, system: str = sys.platform, machine: str = ""
) -> tuple[str, ...]:
    """The flags that turn one C file into one extension module; ``characters``: how much of its source is compiled."""
    optimise = "-O1" if characters > _LONG else "-O2"
    shared = _BUNDLE if system == "darwin" else _SHARED
    return (
        optimise,
        *_NUMERIC,
        *_CHECKS,
        *shared,
        *(_tuning(machine) if native else ()),
        *(("-DNSDGEN_LANES",) if lanes else ()),
    )


def for_short_kernels(flags: tuple[str, ...]) -> tuple[str, ...]:
    """The flags for a file that holds no long kernels."""
    wanted = _SHORT_KERNELS[:1] if set(_UNFUSED) & set(flags) else _SHORT_KERNELS
    return (*flags, *wanted) if "-O1" in flags else flags


def object_flags(flags: tuple[str, ...]) -> tuple[str, ...]:
    """Those that turn one C file into an object file, whose functions only the module it is linked into sees."""
    linking = {*_SHARED, *_BUNDLE} - {"-fPIC"}
    return ("-c", "-fvisibility=hidden", *(flag for flag in flags if flag not in linking))


def _tuning(machine: str) -> tuple[str, ...]:
    machine = machine or platform.machine()
    return ("-mcpu=native" if machine in _MCPU_MACHINES else "-march=native", *_UNFUSED)


def link_libraries(system: str = sys.platform) -> tuple[str, ...]:
    """The libraries that the kernels call, as linker arguments."""
    return () if system in ("darwin", "win32") else ("-lm",)


def cpu_identity() -> str:
    """The processor as the system describes it: what ``native`` tuning depends on."""
    if sys.platform == "darwin":
        return _sysctl("machdep.cpu.brand_string")
    try:
        listing = Path("/proc/cpuinfo").read_text(errors="replace")
    except OSError:
        return platform.processor()
    return _first_processor(listing) or platform.processor()


def _first_processor(listing: str) -> str:
    block = listing.split("\n\n", 1)[0].splitlines()
    return "\n".join(line for line in block if line.partition(":")[0].strip() in _CPU_LINES)


def _sysctl(name: str) -> str:
    command = ["sysctl", "-n", name]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return platform.processor()
