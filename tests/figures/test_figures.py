"""Figures: the same bytes twice, text as text, data behind them, hostile names stay text."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from taskloom.figures import (
    NARROW,
    BubblePlot,
    Count,
    CountPlot,
    HeatCell,
    HeatMap,
    IntervalPlot,
    IntervalPoint,
    Line,
    LinePlot,
    LinePoint,
    PairCell,
    PairMatrix,
    PromisePlot,
    PromiseRow,
    ScatterPlot,
    ScatterPoint,
)  # fmt: skip
from taskloom.figures.base import shade, ticks, width_of
from taskloom.figures.heat import strength

HOSTILE = '<script>alert(1)</script> $x$ & "q"'
FIGURES = [
    IntervalPlot(title=HOSTILE, points=(
        IntervalPoint(HOSTILE, 0.5, 0.4, 0.6, 10, "ours"), IntervalPoint("b", 0.7, 0.7, 0.7, 0, "paper", True),
    )),
    HeatMap(title="heat", row_name="a", column_name="b", cells=(
        HeatCell(HOSTILE, "x", 0.1, 0.0, 0.2, 1), HeatCell("r", "x", 0.9, 0.8, 1.0, 400, True),
    )),
    LinePlot(title="lines", x_name="dose", scale="doubling", lines=(
        Line(HOSTILE, (LinePoint(0, 0.1, 0.0, 0.2, 5), LinePoint(8, 0.5, 0.4, 0.6, 5))),
        Line("paper", (LinePoint(0, 0.2), LinePoint(8, 0.4)), published=True),
    )),
    ScatterPlot(title="scatter", x_name="x", y_name="y", points=(ScatterPoint(HOSTILE, 0.1, 0.9, 3),)),
    PairMatrix(title="pairs", atoms=("coref", HOSTILE), cells=(
        PairCell("coref", "coref", 0.98, 0.9, 1.0, 30),
        PairCell("coref", HOSTILE, 0.2, 0.1, 0.4, 30, "frontier", False),
        PairCell(HOSTILE, HOSTILE, None),
    )),
    CountPlot(title="bars", counts=(Count(HOSTILE, 63), Count("b", 1), Count("c", 0))),
    CountPlot(title="words", counts=(Count(HOSTILE, 63), Count("b", 1)), scale="linear"),
    BubblePlot(title="bubbles", counts=(Count(HOSTILE, 63), Count("Text to Code", 12), Count("c", 1))),
    PromisePlot(title="promise", claims=(PromiseRow(HOSTILE, 0.9, 0.95, 0.85, 0.9, 0.3, 0.1, 0.5, 40, True),)),
]  # fmt: skip


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: type(figure).__name__)
def test_a_figure_is_the_same_twice_and_keeps_text_as_text(figure, tmp_path):
    svg = figure.svg()
    assert svg == figure.svg()
    assert "<script" not in svg
    root = ET.fromstring(svg)
    words = "".join(root.itertext())
    assert "alert(1)" in words or "alert" not in figure.csv()
    assert root.get("aria-label") == figure.title
    assert any(element.tag.endswith("title") for element in root.iter()), "marks have titles to hover over"
    paths = figure.save(tmp_path, "figure")
    assert [path.suffix for path in paths] == [".svg", ".pdf", ".csv"]
    assert paths[1].read_bytes().startswith(b"%PDF")
    ET.parse(paths[0])
    header, *rows = paths[2].read_text().splitlines()
    assert header.split(",") == list(figure.columns())
    assert len(rows) == len(figure.rows())


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: type(figure).__name__)
def test_a_figure_has_a_layout_for_phones(figure):
    pen = figure.draw(NARROW)
    assert pen.width <= NARROW + 120
    assert all(0 <= y <= pen.height for shape in pen.shapes for _, y in shape.points)
    assert figure.svg(NARROW) != figure.svg() or isinstance(figure, PairMatrix)


def test_colours_follow_the_page_and_are_plain_in_a_file(tmp_path):
    figure = FIGURES[0]
    assert "var(--ink,#1f2933)" in figure.svg()
    assert "var(" not in figure.save(tmp_path, "x")[0].read_text()


def test_a_handful_of_answers_is_faint():
    assert strength(1) < 0.2 < strength(15) < strength(30) == strength(10_000) == 1.0


def test_ticks_are_round_numbers():
    assert ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(0, 1000, 7) == [0, 200, 400, 600, 800, 1000]
    assert ticks(3, 3) == [3]


def test_a_published_value_is_not_written_over_a_measured_one():
    measured = IntervalPoint("a", 0.459, 0.35, 0.57, 900, "in")
    paper = IntervalPoint("a", 0.968, 0.968, 0.968, 0, "in", published=True)
    alone = IntervalPoint("b", 0.222, 0.222, 0.222, 0, "in", published=True)
    text = IntervalPlot(title="t", points=(measured, paper, alone)).svg()
    assert text.count(">0.46<") == 1 and text.count(">0.22<") == 1
    assert ">0.97<" not in text and "0.968, published" in text


def test_names_of_points_in_one_place_do_not_cover_each_other():
    points = tuple(ScatterPoint(name, 0.11, 0.5) for name in ("mock/majority", "mock/random", "mock/constant"))
    tree = ET.fromstring(ScatterPlot(title="t", x_name="x", y_name="y", points=points).svg())
    names = {point.name for point in points}
    heights = sorted(float(text.get("y")) for text in tree.iter() if text.text in names and text.get("y"))
    assert len(heights) == 3
    assert all(below - above >= 11 for above, below in pairwise(heights))


def test_letters_on_a_shade_stay_light_where_the_page_is_dark():
    cells = (HeatCell("r", "c", 0.95, 0.9, 1.0, 400),)
    drawn = HeatMap(title="heat", row_name="a", column_name="b", cells=cells).svg()
    (letters,) = [part for part in drawn.split("<text") if ">0.95</text>" in part]
    assert "var(" not in letters  # what follows the theme would be dark on dark


@pytest.mark.parametrize("width", [358.0, 480.0, 520.0, 640.0])
def test_names_of_rows_are_never_cut_by_the_edge(width):
    """On a phone there is room for some twenty letters; a longer name loses its middle, not its beginning."""
    names = ["move", "move+grab+drop+give+conj+compound", "W" * 40]
    heat = HeatMap(title="t", cells=tuple(HeatCell(name, "where-object", 0.5, 0.4, 0.6, 9) for name in names))
    plot = IntervalPlot(title="t", points=tuple(IntervalPoint(name, 0.5, 0.4, 0.6, 9) for name in names))
    for figure in (heat, plot):
        drawn = [shape for shape in figure.draw(width).shapes if shape.kind == "text" and shape.title in names]
        assert len(drawn) == len(names)
        for shape in drawn:
            room = shape.points[0][0] if shape.anchor == "end" else width
            assert width_of(shape.text) <= room, shape.text


def test_axes_of_small_numbers_follow_them():
    """The mass of a few words among thousands is tiny; half a unit around it would show nothing."""
    one = ScatterPlot(title="t", points=(ScatterPoint("a", 0.001, 0.0004),), x_name="x", y_name="y", unit=False)
    marks = [float(shape.text) for shape in one.draw(400.0).shapes if shape.kind == "text" and shape.text[:1].isdigit()]
    assert marks
    assert 0 <= min(marks) <= max(marks) <= 0.0015


def test_names_of_the_lowest_points_stay_above_the_axis():
    points = tuple(ScatterPoint(name, 0.0, 0.0) for name in ("one", "two", "three"))
    drawn = ScatterPlot(title="t", points=(*points, ScatterPoint("far", 0.2, 0.9)), x_name="x", y_name="y").draw(400.0)
    texts = [shape for shape in drawn.shapes if shape.kind == "text"]
    heights = {shape.text: shape.points[0][1] for shape in texts if shape.text in ("one", "two", "three")}
    numbers = max(shape.points[0][1] for shape in texts if shape.text == "0.2")
    assert len(set(heights.values())) == 3
    assert max(heights.values()) < numbers - 10


def test_a_name_does_not_cover_a_point():
    points = (ScatterPoint("mock/majority", 0.10, 0.19), ScatterPoint("mock/random", 0.13, 0.17))
    shapes = ScatterPlot(title="t", x_name="x", y_name="y", points=points).draw(400.0).shapes
    circles = [(*shape.points[0], shape.size) for shape in shapes if shape.kind == "circle"]
    labels = [shape for shape in shapes if shape.text.startswith("mock/")]
    assert len(circles) == len(labels) == 2
    for label in labels:
        (left, y), right = label.points[0], label.points[0][0] + width_of(label.text, 11)
        assert not [c for c in circles if left < c[0] + c[2] and c[0] - c[2] < right and abs(c[1] - y) < 11]


def test_intervals_of_points_are_drawn_and_written():
    sure = ScatterPoint("a", 0.5, 0.5, x_interval=(0.4, 0.6), y_interval=(0.2, 0.7))
    plot = ScatterPlot(title="t", x_name="x", y_name="y", points=(sure, ScatterPoint("b", 0.1, 0.9)))
    assert plot.rows()[0][-4:] == (0.4, 0.6, 0.2, 0.7)
    assert plot.rows()[1][-4:] == (None,) * 4
    assert "y high" in plot.csv()
    bare = ScatterPlot(title="t", x_name="x", y_name="y", points=(ScatterPoint("b", 0.1, 0.9),))
    assert bare.columns()[-1] == "n"


def test_points_without_a_line_of_equal_values_have_one_colour():
    points = (ScatterPoint("above", 0.1, 0.9), ScatterPoint("below", 0.9, 0.1))
    shapes = ScatterPlot(title="t", x_name="x", y_name="y", points=points, diagonal=False).draw(400.0).shapes
    assert len({shape.fill for shape in shapes if shape.kind == "circle"}) == 1


def test_columns_of_several_maps_stand_in_one_order():
    cells = (HeatCell("move", "where-person", 0.5, 0.4, 0.6, 9), HeatCell("grab", "where-object", 0.5, 0.4, 0.6, 9))
    plain = HeatMap(title="t", cells=cells).svg()
    assert plain.index("where-person") < plain.index("where-object")
    ordered = HeatMap(title="t", cells=cells, column_order=("where-object", "when", "where-person")).svg()
    assert ordered.index(">where-object") < ordered.index(">where-person")
    assert "when" not in ordered


def test_a_map_says_what_its_rows_and_columns_are():
    cells = (HeatCell("def", "pos1", 0.5, 0.4, 0.6, 9),)
    pen = HeatMap(title="t", cells=cells, row_name="trained with", column_name="asked with").draw(400.0)
    places = {shape.text: shape.points[0] for shape in pen.shapes if shape.kind == "text"}
    assert places["asked with"][1] < places["trained with"][1] < places["def"][1]
    assert "asked with" not in HeatMap(title="t", cells=cells).svg()


@pytest.mark.parametrize("ends", [(None, None), (0.0, 1.0)])
def test_bands_stay_between_the_ends_of_the_axis(ends):
    points = (LinePoint(5, 0.18, 0.02, 0.6), LinePoint(79, 0.21, -0.1, 1.4))
    plot = LinePlot(title="t", lines=(Line("m", points),), x_name="tasks", low=ends[0], high=ends[1])
    pen = plot.draw(720.0)
    (band,) = (shape for shape in pen.shapes if shape.kind == "polygon")
    (axis,) = (shape.points[0][1] for shape in pen.shapes if shape.text == "tasks")
    heights = [y for _, y in band.points]
    assert min(heights) >= 0
    assert max(heights) <= axis - 30 + 0.01


@pytest.mark.parametrize("highest", [0.0012, 0.11, 1.0])
def test_the_name_of_an_axis_does_not_lie_upon_its_numbers(highest):
    points = (LinePoint(2, 0.0, 0.0, highest), LinePoint(4, 0.0, 0.0, highest))
    plot = LinePlot(title="t", lines=(Line("m", points),), x_name="tasks", y_name="ROUGE-L", low=None, high=None)
    shapes = plot.draw(720.0).shapes
    (name,) = (shape.points[0][0] for shape in shapes if shape.text == "ROUGE-L")
    numbers = [shape.points[0][0] - width_of(shape.text, 11) for shape in shapes if shape.anchor == "end"]
    assert min(numbers) > name + 11 / 2


def test_a_long_name_stands_where_more_of_it_fits():
    long = "land(is-POS-noun[eng], is-sentiment-positive[eng])"
    shapes = ScatterPlot(title="t", x_name="x", y_name="y", points=(ScatterPoint(long, 0.7, 0.2),)).draw(460.0).shapes
    (label,) = (shape for shape in shapes if shape.title == long and shape.kind == "text")
    assert label.anchor == "end"
    assert "noun" in label.text
    assert label.points[0][0] - width_of(label.text, 11) >= 40


def _brightness(colour):
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_points_above_the_line_are_green_and_those_below_it_red():
    points = (ScatterPoint("above", 0.1, 0.9), ScatterPoint("below", 0.9, 0.1), ScatterPoint("on it", 0.5, 0.5))
    shapes = ScatterPlot(title="t", x_name="x", y_name="y", points=points).draw(400.0).shapes
    above, below, level = [shape.fill for shape in shapes if shape.kind == "circle"][:3]
    red, green, _ = (int(above[place : place + 2], 16) for place in (1, 3, 5))
    assert green > red
    red, green, _ = (int(below[place : place + 2], 16) for place in (1, 3, 5))
    assert red > green
    assert level not in (above, below)


@pytest.mark.parametrize("value", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
def test_numbers_can_be_read_on_every_shade(value):
    cells = (HeatCell("r", "c", value, value, value, 400),)
    shapes = HeatMap(title="heat", row_name="a", column_name="b", cells=cells).draw(400.0).shapes
    (ground,) = [shape for shape in shapes if shape.kind == "polygon" and str(shape.title).startswith("r × c")]
    letters = next(shape for shape in shapes if shape.kind == "text" and shape.text == f"{value:.2f}")
    light, dark = sorted((_brightness(ground.fill), _brightness(letters.fill)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 3, (ground.fill, letters.fill)


def test_a_pair_is_shaded_by_its_score_framed_at_the_frontier_and_grey_where_nothing_is_known():
    cells = (
        PairCell("a", "a", 0.9, 0.8, 1.0, 400), PairCell("a", "b", 0.1, 0.0, 0.2, 400, "frontier"),
        PairCell("b", "b", None),
    )  # fmt: skip
    shapes = PairMatrix(title="t", atoms=("a", "b"), cells=cells).draw(400.0).shapes
    drawn = {name: [one for one in shapes if str(one.title).startswith(f"{name}: ")] for name in ("a", "a + b", "b")}
    fills = [drawn[name][0].fill for name in drawn]
    assert fills[:2] == [shade(0.9), shade(0.1)] and fills[2] not in (shade(0.0), shade(1.0))
    framed = {name: sum(one.kind == "polygon" and not one.fill for one in drawn[name]) for name in drawn}
    assert framed == {"a": 0, "a + b": 1, "b": 0}
