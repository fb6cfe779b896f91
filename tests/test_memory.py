"""What was made last is remembered, and no more than so much."""

import pytest

from nsdgen.base.memory import Memory


def test_the_oldest_that_nobody_asked_for_goes():
    memory, made = Memory(2), []

    def ask(key):
        return memory(key, lambda: made.append(key) or [key])

    first = ask("a")
    ask("b")
    assert ask("a") is first
    ask("c")
    assert ask("a") is first and ask("c") == ["c"]
    ask("b")
    assert made == ["a", "b", "c", "b"]


def test_none_is_remembered_and_errors_are_not():
    memory, asked = Memory(2), []
    assert memory(1, lambda: asked.append(1)) is None
    assert memory(1, lambda: asked.append(2)) is None
    assert asked == [1]
    with pytest.raises(ZeroDivisionError):
        memory(2, lambda: 1 / 0)
    assert memory(2, lambda: 3) == 3
