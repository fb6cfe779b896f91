"""Operators of a compiled model, instance by instance."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from nsdgen.record.step_record import Layout
from nsdgen.runtime.callable_operators import operators_of_instance
from nsdgen.runtime.values import run_values


class OperatorsByName(Mapping[str, Any]):
    """The operators of each system and relation of a compiled model by name, made when first asked for."""

    def __init__(self, model: Any) -> None:
        self._model, self._made = model, dict[str, Any]()  # its kernels may be others later
        record = model.record
        Layout.of(record)  # refuses two columns of one name before any work is done
        self._places = {s.name: (i, True) for i, s in enumerate(record.systems)} | {
            r.name: (i, False) for i, r in enumerate(record.relations)
        }

    @cached_property
    def _defaults(self) -> Any:
        return run_values(self._model.record, self._model.table)

    def _arguments(self, number: int, is_system: bool) -> Sequence[float]:
        rows = self._defaults.system_arguments if is_system else self._defaults.relation_arguments
        found: Sequence[float] = rows[number]
        return found

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            number, is_system = self._places[name]
            record = self._model.record
            item = record.systems[number] if is_system else record.relations[number]
            cls = item.cls if is_system else len(record.system_classes) + item.cls
            self._made[name] = operators_of_instance(
                name,
                self._model.table,
                cls,
                partial(self._arguments, number, is_system),
                [a.name for a in item.arguments],
            )
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
