"""The publications behind the methods, by the names that the methods have: keys of `references.bib`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from thresher.base.defaults import BENJAMINI_HOCHBERG, HOLM, RANDOMISATION, STUDENT, WILCOXON

Keys = tuple[str, ...]
_FILE = Path(__file__).with_name("references.bib")
_SHALLOW = ("kohlschuetter2010boilerplate",)
_EXPONENTIAL = "exp-nDCG"

SCORERS: Mapping[str, Keys] = {
    "bars": ("evert2008ncleaner",),
    "boilerpipe": _SHALLOW,
    "bte": ("finn2001bte",),
    "content": (*_SHALLOW, "vogels2018web2text", "yu2016dilated", "lipton2014thresholding"),
    "density": _SHALLOW,
    "extractor": (),
    "justext": ("pomikalek2011justext",),
    "links": _SHALLOW,
    "ncleaner": ("evert2008ncleaner", "evert2007stupidos"),
    "pages": ("wenzek2020ccnet", "heafield2011kenlm"),
    "perplexity": ("fernandezpichel2024perplexity", "heafield2011kenlm"),
    "repeated": ("baryossef2002templates", "fernandes2007importance"),
    "text": (),
    "words": _SHALLOW,
}
EXTRACTORS: Mapping[str, Keys] = {
    "boilerpy3": _SHALLOW,
    "justext": ("pomikalek2011justext",),
    "readability": (),
    "resiliparse": ("bevendorff2018chatnoir",),
    "trafilatura": ("barbaresi2021trafilatura",),
}
PRUNING: Mapping[str, Keys] = {
    "2n2p": ("thota2011testing",),
    "dcp": ("buettcher2006pruning",),
    "gain": ("buettcher2006pruning", "carmel2001pruning"),
    "idf": ("blanco2007terms",),
    "nucleus": ("chen2015divergence",),
    "prp": ("blanco2010prp",),
    "random": ("steele2014splittable",),
    "ridf": ("blanco2007terms", "church1995poisson"),
    "tcp": ("carmel2001pruning",),
    "up": ("carmel2001pruning",),
}
WEIGHTS: Keys = ("robertson2004fields", "ogilvie2003representations")
ANCHORS: Keys = ("craswell2001anchors",)
"""Sources of the weights of link texts."""
MODELS: Mapping[str, Keys] = {
    "bm25": ("robertson1994okapi",),
    "classic": ("salton1975vector",),
    "qld": ("zhai2004smoothing",),
}
MEASURES: Mapping[str, Keys] = {
    "AP": (),
    "Bpref": ("buckley2004bpref",),
    "ERR": ("chapelle2009err",),
    "Judged": (),
    "P": (),
    "R": (),
    "RBP": ("moffat2008rbp",),
    "RR": (),
    "nDCG": ("jarvelin2002cumulated",),
    _EXPONENTIAL: ("jarvelin2002cumulated", "burges2005ranknet"),
}
"""Other measures have no source either."""
TESTS: Mapping[str, Keys] = {
    WILCOXON: ("wilcoxon1945ranking",),
    STUDENT: ("student1908mean",),
    RANDOMISATION: ("fisher1935design", "smucker2007comparison"),
}
CORRECTIONS: Mapping[str, Keys] = {
    HOLM: ("holm1979multiple",),
    BENJAMINI_HOCHBERG: ("benjamini1995fdr",),
    "none": (),
}
INTERVALS: Keys = ("efron1979bootstrap",)
NON_INFERIORITY: Keys = ("walker2011noninferiority", "bretz2009graphical")
SOFTWARE: Mapping[str, Keys] = {
    "thresher": ("thresher",),
    "anserini": ("yang2017anserini",),
    "pyserini": ("lin2021pyserini",),
    "ir-measures": ("macavaney2022irmeasures",),
}


@cache
def entries() -> Mapping[str, str]:
    """Return the BibTeX entries by key."""
    by_key: dict[str, str] = {}
    for entry in re.split(r"\n\n(?=@)", _FILE.read_text(encoding="utf-8").strip()):
        key = entry[entry.index("{") + 1 : entry.index(",")]
        by_key[key] = entry
    return by_key


def bibliography(keys: Iterable[str]) -> str:
    """Return the entries of keys, each once, in the order of the file."""
    cited_keys = set(keys)
    cited: list[str] = []
    for key, entry in entries().items():
        if key in cited_keys:
            cited.append(entry)
    return "\n\n".join(cited) + "\n"
