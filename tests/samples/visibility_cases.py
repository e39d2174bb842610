"""Elements that CSS hides or shows, and the words of theirs that browsers show."""

from __future__ import annotations

CASES = [
    ("<p style='visibility:hidden'>x</p>", ""),
    ("<div style='visibility:hidden'>x<p style='visibility:visible'>y</p>z</div>", "y"),
    ("<div style='VISIBILITY : Collapse'>x<p style='color:red; Visibility : VISIBLE'>y</p>z</div>", "y"),
    ("<p>a <span style='visibility:hidden'>x <b style='visibility:visible'>y</b> z</span> b</p>", "a y b"),
    # Hidden and visible elements in each other.
    (
        "<div style='visibility:hidden'>x<div style='visibility:hidden'>y<p style='visibility:visible'>z "
        "<b style='visibility:hidden'>w</b> v</p>u</div>t</div>",
        "z v",
    ),
    (
        "<div style='visibility:hidden'>x<p style='visibility:visible'>y</p>z<p>w</p>"
        "<ul><li style='visibility:visible'>v<li>u</ul></div>",
        "y v",
    ),
    (
        "<div style='visibility:hidden'><p style='visibility:visible'>y<i style='visibility:hidden'>x"
        "<b style='visibility:visible'>z</b></i></p></div>",
        "yz",
    ),
    # What is not displayed has no visible elements.
    ("<div style='display:none'>x<p style='visibility:visible'>y</p></div>", ""),
    ("<div hidden style='visibility:hidden'>x<p style='visibility:visible'>y</p></div>", ""),
    ("<div style='display:none; visibility:hidden'>x<p style='visibility:visible'>y</p></div>", ""),
    ("<div style='visibility:hidden'><div hidden>x<p style='visibility:visible'>y</p></div></div>", ""),
    ("<div style='visibility:hidden'>x<p hidden style='visibility:visible'>y</p></div>", ""),
    ("<div style='display:none'>x<div style='visibility:hidden'><p style='visibility:visible'>y</p></div></div>", ""),
    ("<div style='visibility:hidden'>x<script style='visibility:visible'>y</script></div>", ""),
    # It is another property.
    ("<div style='visibility:hidden'>x<p style='content-visibility:visible'>y</p></div>", ""),
    ("<div style='visibility:hidden'>x<p style='backface-visibility:visible'>y</p></div>", ""),
]
