"""Pictures: the right labels, panels, curves and kinds of curve."""

import base64
import json
import re
import sys
import zlib

import numpy as np
import pytest

from nsdgen.errors import ParameterError
from nsdgen.study import Column, Trajectory, phase_plot
from nsdgen.study.curves import kind, overlaps
from nsdgen.study.interactive.figure_page import figure_page
from nsdgen.study.plot import plot
from nsdgen.study.prefixes import prefixed

figures = pytest.importorskip("matplotlib.figure")
colors = pytest.importorskip("matplotlib.colors")


def legend_texts(axes):
    """What the legend of ``axes`` says, or None."""
    legend = axes.get_legend()
    return legend and [text.get_text() for text in legend.get_texts()]


def test_one_quantity(trajectory):
    picture = trajectory.plot("gap")
    (axes,) = picture.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("t [s]", "gap [m]")
    assert legend_texts(axes) is None
    np.testing.assert_array_equal(picture.artists[0].get_ydata(), trajectory["table.gap"])


def test_one_panel_per_unit(trajectory):
    picture = trajectory.plot("z_dot", "gap", "position", "newton_iterations")
    labels = [axes.get_ylabel() for axes in picture.axes]
    assert labels == ["z_dot [m/s]", "gap, position [m]", "newton_iterations"]
    gap, *position = legend_texts(picture.axes[1])
    assert (gap, position) == ("table.gap", ["brick.position[0]", "brick.position[1]"])
    assert [axes.get_xlabel() for axes in picture.axes] == ["", "", "t [s]"]


def test_one_panel_per_name(trajectory):
    picture = trajectory.plot("gap", "position", panels="name")
    assert [axes.get_ylabel() for axes in picture.axes] == ["gap [m]", "position [m]"]


def test_many_or_long_names_leave_the_label_to_the_legend(trajectory):
    picture = trajectory.plot("ball.z", "position", "table.gap", "brick.twist")
    metres, *_ = picture.axes
    assert metres.get_ylabel() == "[m]"
    assert legend_texts(metres) == ["ball.z", "brick.position[0]", "brick.position[1]", "table.gap"]
    columns = [Column("the eastern wheel.slip_of_the_tyre", "m"), Column("a.q", "s")]
    long = Trajectory("m", [0.0], np.zeros((1, 2)), columns)
    labels = [axes.get_ylabel() for axes in long.plot().axes]
    assert labels == ["the eastern wheel\nslip_of_the_tyre [m]", "a.q [s]"]


def test_labels_stay_beside_their_panels():
    names = [f"system {k}.quantity_{unit}" for k in range(8) for unit in "msV"]
    columns = [Column(name, name[-1]) for name in names]
    picture = Trajectory("m", np.arange(9.0), np.random.default_rng(1).normal(size=(9, 24)), columns).plot()
    picture.figure.canvas.draw()
    assert len(picture.axes) == 3
    page = picture.figure.bbox
    for axes in picture.axes:
        label, panel = axes.yaxis.label.get_window_extent(), axes.get_window_extent()
        assert panel.y0 <= label.y0
        assert label.y1 <= panel.y1
        legend = axes.get_legend().get_window_extent()
        assert len(legend_texts(axes)) == 8
        assert page.x0 <= legend.x0
        assert legend.x1 <= page.x1


def test_a_list_of_names_has_panels_of_its_own(trajectory):
    picture = trajectory.plot(["z_dot", "gap"], ["position", "gap"], "z")
    labels = [axes.get_ylabel() for axes in picture.axes]
    assert labels == ["z_dot [m/s]", "gap [m]", "position, gap [m]", "z [m]"]
    assert len(trajectory.plot([]).artists) == len(trajectory.columns) - 1


def test_the_title(trajectory):
    assert trajectory.plot("gap").figure.get_suptitle() == "shaken_ball"
    changes = ", ".join(["shaken_ball", *(f"stiffness {k} = 1e-{k} N/m" for k in range(9))])
    lines = trajectory.plot("gap", title=changes).figure.get_suptitle().split("\n")
    assert len(lines) > 1
    assert all(len(line) <= 88 for line in lines)
    assert all(line.endswith(",") for line in lines[:-1])
    assert " ".join(lines) == changes


def test_equal_curves_do_not_hide_each_other():
    t = np.arange(400.0)
    impulse = np.where(t % 100 == 7, 1.0, 0.0)
    table = np.column_stack([np.sin(t), np.sin(t) + 1e-6, np.sin(t), np.cos(t)])
    columns = [Column(f"a.{name}", "m") for name in "pqrs"]
    drawn = Trajectory("m", t, table, columns).plot().artists
    assert [curve.is_dashed() for curve in drawn] == [False, True, True, False]
    explicit = Trajectory("m", t, table, columns).plot(linestyle="-").artists
    assert not any(curve.is_dashed() for curve in explicit)
    pulses = [impulse, np.roll(impulse, 20), impulse, 0 * t, 0 * t]
    assert overlaps(pulses) == [0, 0, 1, 0, 1]
    kinds = [Column(f"a.impulse_{k}", "N s") for k in range(5)]
    assert Trajectory("m", t, np.column_stack(pulses), kinds).plot()._repr_png_()
    assert overlaps([np.array([]), np.array([])]) == [0, 0]
    assert overlaps([np.array([np.nan, np.inf]), np.array([np.nan, 1.0])]) == [0, 0]


def test_without_names_all_instances_are_drawn(trajectory):
    picture = trajectory.plot()
    assert len(picture.artists) == len(trajectory.columns) - 1
    many = Trajectory("m", [0.0], np.zeros((1, 99)), [Column(f"a.q[{k}]") for k in range(99)])
    with pytest.raises(ParameterError, match="99 curves are recorded, and none was named"):
        many.plot()
    with pytest.raises(ParameterError, match="None is no column"):
        many.plot(None)


def test_axes_of_the_caller(trajectory):
    figure = figures.Figure()
    grid = figure.subplots(2, 1, squeeze=False)
    picture = trajectory.plot("gap", "z_dot", axes=grid)
    assert picture.axes == tuple(grid.flat)
    assert picture.figure is figure
    single = figures.Figure().subplots()
    assert len(trajectory.plot("gap", "z_dot", axes=single).artists) == 2
    assert legend_texts(single) == ["table.gap [m]", "ball.z_dot [m/s]"]
    with pytest.raises(ParameterError, match="2 axes were given for 3 panels"):
        trajectory.plot("gap", "z_dot", "impulse", axes=grid)
    inner = figure.subfigures().subplots()
    assert trajectory.plot("gap", axes=inner).figure is figure


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (Column("ball.z", "m"), "line"),
        (Column("table.impulse", "N s"), "stem"),
        (Column("table.percussion", "N s"), "stem"),
        (Column("spring.lam[0]", "N"), "step"),
        (Column("spring.reaction_n", "N"), "step"),
        (Column("lamp.lamella", "m"), "line"),
        (Column("newton_iterations"), "step"),
    ],
)
def test_how_a_column_is_drawn(column, expected):
    assert kind(column) == expected


def test_stems_stand_where_something_acts(trajectory):
    (stems,) = trajectory.plot("impulse").artists
    tips = [segment[1].tolist() for segment in stems.get_segments()]
    np.testing.assert_allclose(tips, [[0.2, 1.5], [0.5, 0.25]])
    assert stems.axes.get_xlim()[1] >= trajectory.time[-1]


def test_an_impulse_in_every_step_is_drawn_as_steps():
    closed = Trajectory("m", np.arange(99.0), np.ones((99, 1)), [Column("a.impulse", "N s")])
    (curve,) = closed.plot("impulse").artists
    assert curve.get_drawstyle() == "steps-pre"


def test_steps_hold_over_the_step_that_ends_there(trajectory):
    (curve,) = trajectory.plot("left.lam[0]").artists
    assert curve.get_drawstyle() == "steps-pre"
    (curve,) = trajectory.plot("left.lam[0]", style="line", lw=3).artists
    assert (curve.get_drawstyle(), curve.get_linewidth()) == ("default", 3)


def test_stems_and_lines_take_different_colours(trajectory):
    axes = figures.Figure().subplots()
    stems, line = trajectory.plot("impulse", "gap", axes=axes).artists
    assert colors.same_color(stems.get_color(), "C0")
    assert colors.same_color(line.get_color(), "C1")


def test_phase_plot_finds_the_rate(trajectory):
    picture = phase_plot(trajectory, "z")
    (axes,) = picture.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("z [m]", "z_dot [m/s]")
    assert len(picture.artists) == 3
    explicit = trajectory.phase_plot("position", rate="brick.twist")
    assert explicit.axes[0].get_ylabel() == "brick.twist"
    assert legend_texts(explicit.axes[0]) == ["brick.position[0]", "brick.position[1]"]


def test_phase_plot_of_a_component():
    columns = [Column("arm.q[0]", "rad"), Column("arm.q_dot[0]", "rad/s")]
    arm = Trajectory("arm", np.arange(3.0), np.eye(3)[:, :2], columns)
    assert arm.phase_plot("arm.q[0]").axes[0].get_ylabel() == "arm.q_dot[0] [rad/s]"


def test_phase_plot_says_what_is_missing(trajectory):
    with pytest.raises(ParameterError, match=r"no rate of 'gap' .* 'gap_dot'"):
        trajectory.phase_plot("gap")
    with pytest.raises(ParameterError, match="2 components and 'z' 1"):
        trajectory.phase_plot("position", rate="z")


def test_records_that_are_hard_to_draw():
    columns = [Column("$a.$x_1$", "$m"), Column("_b.impulse", "N s")]
    for instants in (0, 1, 5):
        table = np.full((instants, 2), np.nan)
        record = Trajectory("$m_{", np.arange(float(instants)), table, columns)
        assert record.plot()._repr_png_().startswith(b"\x89PNG")
        assert record.phase_plot("$x_1$", rate="impulse")._repr_png_()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_pictures_are_saved(tmp_path, trajectory, suffix):
    trajectory.plot("z_dot", "impulse").save(tmp_path / f"a{suffix}")
    assert (tmp_path / f"a{suffix}").stat().st_size > 1000
    assert len(list(tmp_path.iterdir())) == 1


def test_pictures_that_cannot_be_saved(tmp_path, trajectory):
    with pytest.raises(ParameterError, match=r"a picture cannot be saved as '.*a\.doc'"):
        trajectory.plot("gap").save(tmp_path / "a.doc")
    with pytest.raises(ParameterError, match="create the folder"):
        trajectory.plot("gap").save(tmp_path / "none" / "a.png")


def test_unknown_options_and_a_missing_matplotlib(monkeypatch, trajectory):
    with pytest.raises(ParameterError, match="style='dots'"):
        plot(trajectory, "gap", style="dots")
    with pytest.raises(ParameterError, match="panels='all'"):
        plot(trajectory, "gap", panels="all")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ParameterError, match=r"pip install 'nsdgen\[plots\]'"):
        plot(trajectory, "gap")


def test_pyplot_stays_unloaded(trajectory):
    loaded = "matplotlib.pyplot" in sys.modules
    trajectory.plot("gap")
    assert ("matplotlib.pyplot" in sys.modules) == loaded


def test_a_pattern_stands_for_all_it_fits():
    columns = [Column(f"bead {i}.{name}", unit) for i in range(9) for name, unit in (("z", "m"), ("spin[0]", "1"))]
    beads = Trajectory("m", np.arange(4.0), np.ones((4, 18)), columns)
    picture = beads.plot("*.z")
    assert len(picture.artists) == 9 and picture.axes[0].get_ylabel() == "z [m]"
    assert len(beads.plot("bead 1.*").artists) == 2
    with pytest.raises(ParameterError, match=r"nothing called 'x.\*' was recorded"):
        beads.plot("x.*")
    with pytest.raises(ParameterError, match=r"a plot takes '\*.z' for all"):
        beads.plot("z")


def test_a_pattern_for_too_many_curves():
    many = Trajectory("m", np.arange(4.0), np.ones((4, 60)), [Column(f"bead {i}.z", "m") for i in range(60)])
    with pytest.raises(ParameterError, match=r"(?s)\*\.z stands for 60 curves.*name what to plot"):
        many.plot("*.z")
    assert len(many.plot([f"bead {i}.z" for i in range(50)]).artists) == 50


@pytest.mark.parametrize(
    ("unit", "largest", "shown"),
    [
        ("m", 2e-5, ("µm", 1e-6)),
        ("m", 0.05, ("m", 1.0)),
        ("m", 0.02, ("mm", 1e-3)),
        ("m/s", 1e-3, ("mm/s", 1e-3)),
        ("N s", 5e-9, ("nN s", 1e-9)),
        ("V", 4.2e4, ("kV", 1e3)),
        ("m**2", 1e-5, ("m**2", 1.0)),
        ("m²", 1e-5, ("m²", 1.0)),
        ("kg", 1e-5, ("kg", 1.0)),
        ("", 1e-5, ("", 1.0)),
        ("m", 0.0, ("m", 1.0)),
        ("m", np.inf, ("m", 1.0)),
        ("m", 1e300, ("m", 1.0)),
    ],
)
def test_units_take_the_prefix_that_fits(unit, largest, shown):
    assert prefixed(unit, largest) == shown


def test_an_axis_is_labelled_in_the_unit_that_it_shows():
    time = np.linspace(0, 2e-3, 50)
    small = Trajectory("m", time, 1e-5 * np.sin(3e3 * time)[:, None], [Column("a.z", "m")])
    (axes,) = (picture := small.plot()).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("t [ms]", "a.z [µm]")
    picture.figure.canvas.draw()
    assert {text.get_text() for text in axes.get_xticklabels()} >= {"0", "1", "2"}
    np.testing.assert_array_equal(picture.artists[0].get_xdata(), time)  # what is drawn stays in seconds


def test_impacts_break_a_phase_curve():
    time = np.linspace(0, 1, 101)
    rate = np.where(time < 0.5, -time, 1 - time)
    columns = [Column("a.z", "m"), Column("a.z_dot", "m/s"), Column("floor.impulse", "N s")]
    struck = np.where(np.arange(101) == 50, 2.0, 0.0)
    curve, _, _, jump, cross = (
        Trajectory("m", time, np.column_stack([time, rate, struck]), columns).phase_plot("z").artists
    )
    assert np.isnan(curve.get_ydata()).sum() == 1
    np.testing.assert_array_equal(jump.get_ydata()[:2], rate[[49, 50]])
    assert cross.get_xdata() == [time[50]]
    resting = Trajectory("m", time, np.column_stack([time, rate, np.ones(101)]), columns)
    assert len(resting.phase_plot("z").artists) == 3  # an impulse in every step is no impact


@pytest.mark.parametrize(("look", "ground", "title"), [("paper", "#ffffff", ""), ("dark", "#12161c", "shaken_ball")])
def test_looks(trajectory, look, ground, title):
    figure = trajectory.plot("gap", look=look).figure
    assert colors.to_hex(figure.get_facecolor()) == ground and figure.get_suptitle() == title
    with pytest.raises(ParameterError, match="look='loud'"):
        trajectory.plot("gap", look="loud")


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".html"])
def test_the_same_picture_gives_the_same_bytes(tmp_path, trajectory, suffix):
    for name in "ab":
        trajectory.plot("gap", "impulse").save(tmp_path / f"{name}{suffix}")
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


def test_a_page_holds_the_numbers_that_are_drawn(trajectory):
    page = figure_page(trajectory.plot("gap", "impulse", "left.lam[0]").figure)
    assert not re.search(r"""(src|href)=|https?:""", page)
    held = re.findall(r'<script id="(\w+)" type="application[^>]*>(.*?)</script>', page)
    scene = json.loads(held[0][1])
    numbers = np.frombuffer(zlib.decompress(base64.b64decode(held[1][1])), "<f4").astype(float)
    gap, impulse, load = scene["panels"]
    assert (gap["y"]["label"], impulse["y"]["label"]) == ("gap [m]", "impulse [N s]")
    assert scene["shared"] and load["curves"][0]["steps"] and any("stem" in curve for curve in impulse["curves"])
    for panel, name in ((gap, "table.gap"), (load, "left.lam[0]")):
        kept = panel["curves"][0]["y"]
        shown = kept["low"] + kept["span"] * numbers[kept["at"] : kept["at"] + kept["n"]]
        np.testing.assert_allclose(shown, trajectory[name], rtol=0, atol=1e-6 * kept["span"])
    assert gap["curves"][0]["x"] == load["curves"][0]["x"]  # time is there once


def test_a_page_of_what_is_not_finite():
    columns = [Column("a.q", "m"), Column("a.big", "m")]
    table = np.array([[np.nan, 1e300], [np.inf, -1e300], [1.0, 0.0], [1.0, np.nan]])
    assert "NaN" not in figure_page(Trajectory("m", np.arange(4.0), table, columns).plot().figure).split("<script")[2]
