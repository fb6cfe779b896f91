"""The text of an emitted module as an object that the runtime takes for a compiled one."""

from dataclasses import dataclass
from typing import Any

from nsdgen.base.collecting import seldom_collecting
from nsdgen.emit.table_text import Unreadable
from nsdgen.errors import ModuleMismatch
from nsdgen.interpret.assembler import MachineProgram, assemble
from nsdgen.interpret.module_text import FunctionLines, take_apart
from nsdgen.interpret.statements import statements


@dataclass(frozen=True, eq=False)
class InterpretedModule:
    """Kernels in the register machine; the capsule is that of a compiled module, and keeps all of it alive."""

    __nsdgen__: Any
    interpreted: bool = True

    def take_over(self, extension: Any) -> None:
        """Let the compiled module of the same text do the work, for everything that is bound to these kernels."""
        from nsdgen.interpret._machine import take_over

        take_over(self.__nsdgen__, extension)


def interpret(text: str) -> InterpretedModule:
    """The kernels of an emitted text, ready to be called: no compiler and no file is needed.

    They compute what the compiled module computes, to the bit, two to five times slower; the function that
    makes the steps of small models is not among them. Raises ``ModuleMismatch`` where the text is not what this version
    of nsdgen emits.
    """
    from nsdgen.interpret._machine import capsule

    try:
        parts = take_apart(text)
        with seldom_collecting():
            programs = [_program(source, parts.table.sizes(n)) for n, source in enumerate(parts.kernels)]
    except Unreadable as error:
        raise ModuleMismatch(
            f"the text of the kernels cannot be interpreted: {error}",
            fix="derive the model again with this version of nsdgen, or compile the text",
        ) from error
    return InterpretedModule(capsule(parts.table, programs))


def _program(source: FunctionLines, sizes: tuple[list[int], list[int]]) -> MachineProgram:
    from nsdgen.interpret._machine import ARITIES, OPERATIONS

    try:
        body = statements(source.lines, source.first, in_c=source.in_c)
        return assemble(body, sizes, OPERATIONS, ARITIES)
    except Unreadable as error:
        raise Unreadable(f"kernel {source.name}: {error}") from error
