"""The plot of cross-entropies: every line, the best one named, the same bytes."""

from thresher.language_models.characters.tuning import Tuning
from thresher.reports.cleaning_plots import tuning_figure
from thresher.reports.plot_style import figure_svg


def test_lines_and_the_best():
    tuning = Tuning((0.2, 0.5, 0.8), tuple(tuple(4 - n / 4 + q for n in range(8)) for q in (0.2, 0.1, 0.3)))
    figure = tuning_figure(tuning, "pages, lexical, 10 folds")
    (axes,) = figure.axes
    lines = axes.get_lines()
    assert [line.get_label() for line in lines] == [f"n = {n}" for n in range(1, 9)]
    for place, line in enumerate(lines):
        assert line.get_xdata().tolist() == [0.2, 0.5, 0.8]
        assert line.get_ydata().tolist() == [row[place] for row in tuning.bits]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 8
    text = figure_svg(figure, "x")
    assert "best: n = 8, q = 0.5, 2.35 bits" in text
    assert "pages, lexical, 10 folds" in text
    assert text == figure_svg(tuning_figure(tuning, "pages, lexical, 10 folds"), "x")
