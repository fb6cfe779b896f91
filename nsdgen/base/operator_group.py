"""The operators of one system or relation by name, whatever an operator is: an expression, or a function of arrays."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

Operator = TypeVar("Operator")


class OperatorGroup(Mapping[str, Operator]):
    """Operators as attributes and as a mapping; ``AttributeError`` lists those there are."""

    def __init__(self, name: str, operators: Mapping[str, Operator]) -> None:
        self._name, self._operators = name, dict(operators)

    def __getattr__(self, key: str) -> Operator:
        try:
            return self.__dict__["_operators"][key]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(
                f"{self.__dict__.get('_name')!r} has no operator {key!r}; it has "
                f"{', '.join(self.__dict__.get('_operators', {}))}"
            ) from None

    def __getitem__(self, key: str) -> Operator:
        return self._operators[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._operators)

    def __len__(self) -> int:
        return len(self._operators)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._operators]

    def __repr__(self) -> str:
        return f"<{self._name}: {', '.join(self._operators)}>"
