"""What was made last is remembered by all that it depends on."""

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Memory(Generic[Made]):
    """The last ``most`` that were made, by their keys; those who ask get the same object and leave it as it is."""

    def __init__(self, most: int) -> None:
        self._most, self._made, self._lock = most, dict[Hashable, Made](), Lock()

    def __call__(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What ``make`` gives, or gave for an equal key; errors are not remembered."""
        with self._lock:
            if key in self._made:
                made = self._made[key] = self._made.pop(key)  # the last one that was asked for stands last
                return made
        made = make()
        with self._lock:
            self._made[key] = made
            if len(self._made) > self._most:
                del self._made[next(iter(self._made))]
        return made
