"""What several attempts at one problem come to: the answer that is the least off, until one is good enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["BestAnswer"]

Answer = TypeVar("Answer")


@dataclass
class BestAnswer(Generic[Answer]):
    """The best answer so far, its residual in the certificate's measure, and all iterations spent.

    ``goal`` is the residual that ends the search.
    """

    answer: Answer
    residual: float
    goal: float
    iterations: int = 0

    @property
    def good(self) -> bool:
        """Whether nothing more is to be tried."""
        return self.residual <= self.goal

    def offer(self, answer: Answer, residual: float, iterations: int) -> bool:
        """Take an answer where it is better than all before; whether the best one is good enough."""
        self.iterations += iterations
        if residual < self.residual:
            self.answer, self.residual = answer, residual
        return self.good
