"""The plot of character models' cross-entropy over q, a line for each n: Fig. 2 of the NCleaner and StupidOS papers."""

from __future__ import annotations

from matplotlib.figure import Figure

from thresher.language_models.characters_tuning import Tuning
from thresher.reports.plot_style import MARKERS, SERIES, light_grid, new_figure, style

_LINES = ("-", "--")


def tuning_figure(tuning: Tuning, title: str) -> Figure:
    """Return cross-entropy in bits a character against q; the best n and q are marked."""
    with style():
        figure = new_figure(5.0, 3.6)
        axes = figure.subplots()
        axes.set_title(title)
        for place, bits in enumerate(zip(*tuning.bits, strict=True)):
            axes.plot(
                tuning.qs,
                bits,
                color=SERIES[place % len(SERIES)],
                marker=MARKERS[place % len(MARKERS)],
                # With more lines than colours the second round is dashed.
                linestyle=_LINES[place // len(SERIES) % len(_LINES)],
                label=f"n = {place + 1}",
            )
        n, q, least = tuning.best
        axes.annotate(
            f"best: n = {n}, q = {q:g}, {least:.2f} bits", (q, least), (0, -14), textcoords="offset points", ha="center"
        )
        axes.set_xlabel("q, the weight of the next shorter history")
        axes.set_ylabel("cross-entropy, bits a character")
        axes.margins(y=0.12)
        light_grid(axes)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right upper")
    return figure
