"""How handlers of signals that let steps end have one that takes long ended."""

from nsdgen.solvers._attention import ask_to_end


def end_soon(error: BaseException | None) -> None:
    """Have what runs end with this ``error`` where its step does not end by itself soon; None: take that back.

    For handlers of signals, which Python calls in its main thread.
    """
    ask_to_end(error)
