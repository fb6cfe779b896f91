"""Progress, driven by a clock and a stream of our own."""

import io

import pytest

from nsdgen.study import NoProgress, Progress


class Clock:
    """A clock that stands still unless it is set."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock() -> Clock:
    return Clock()


def run(clock, stream, seconds, **options):
    """Ten updates spread evenly over ``seconds``."""
    start = clock.now
    with Progress(5.0, "ball", stream, clock=clock, **options) as progress:
        for k in range(1, 11):
            clock.now = start + seconds * k / 10
            progress.update(0.5 * k, "")
    return stream.getvalue()


def test_short_runs_leave_no_trace(clock):
    assert run(clock, Terminal(), 0.9) == ""
    assert run(clock, Terminal(), 4.0, delay=5.0) == ""


def test_a_bar_on_a_terminal(clock, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    stream = Terminal()
    progress = Progress(5.0, "ball", stream, clock=clock)
    clock.now += 2.0
    progress.update(1.25, "3 contacts")
    parts = stream.getvalue().split("\x1b[K")[-1].split("  ")
    assert parts[:2] == ["ball", "█" * 6 + "░" * 18]
    assert "".join(parts[2:]) == " 25 %1.25 of 5 s0:02 elapsed0:06 left3 contacts"
    assert "\n" not in stream.getvalue()
    progress.update(5.0)
    progress.close()
    progress.close()
    assert "100 %" in stream.getvalue().split("\x1b[K")[-1]
    assert stream.getvalue().count("\n") == 1
    progress.update(5.0)
    assert stream.getvalue().endswith("\n")


def test_the_bar_is_not_redrawn_too_often(clock):
    stream = Terminal()
    progress = Progress(1.0, "", stream, delay=0.0, clock=clock)
    for k in range(1000):
        clock.now = 100.0 + k * 1e-3
        progress.update(k * 1e-3)
    assert 9 <= stream.getvalue().count("\r") <= 11


def test_lines_fit_the_terminal(clock, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    text = run(clock, Terminal(), 20.0)
    assert max(len(line) for line in text.replace("\n", "").split("\r\x1b[K")) == 29


def test_other_streams_get_a_line_each_ten_seconds(clock):
    assert run(clock, io.StringIO(), 9.0) == ""
    lines = run(clock, io.StringIO(), 40.0).splitlines()
    assert len(lines) == 3
    assert not any("\r" in line or "\x1b" in line for line in lines)
    assert lines[0].startswith("ball   30 %  1.5 of 5 s  0:12 elapsed")


def test_ascii_where_the_stream_knows_no_blocks(clock):
    class Old(Terminal):
        encoding = "latin-1"

    assert "######" in run(clock, Old(), 5.0)


@pytest.mark.parametrize(("total", "done"), [(0, 0), (float("inf"), 3), (2, float("nan")), (1, 9)])
def test_odd_totals_do_no_harm(clock, total, done):
    stream = Terminal()
    progress = Progress(total, "x", stream, delay=0.0, clock=clock)
    clock.now += 4000.0
    progress.update(done)
    assert "1:06:40 elapsed" in stream.getvalue()


def test_a_closed_stream_does_not_end_the_run(clock):
    stream = Terminal()
    progress = Progress(1.0, "x", stream, delay=0.0, clock=clock)
    stream.close()
    clock.now += 1.0
    progress.update(0.5)
    progress.close()


def test_no_progress_has_the_same_methods():
    with NoProgress() as progress:
        progress.update(1.0, "text")
    progress.close()


def test_the_end_of_a_long_run_is_a_plain_number(clock):
    progress = Progress(60000.0, "ball", io.StringIO(), clock=clock)
    assert "12346 of 60000 s" in progress._line(12345.678, "", 1.0)
    assert "1.235 of 60000 s" in progress._line(1.2345678, "", 1.0)
