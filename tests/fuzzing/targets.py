"""What is fuzzed: each target takes bytes and must return, however damaged they are; where it says so, an error for the user
is as good. What else must hold is asserted by the checks in `readers` and `texts`."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import advising
import products
import readers
import seeds
import surfaces
import texts
from mutation import mutated

from thresher.collections.json_lines import JsonLines
from thresher.collections.parquet_rows import ParquetRows
from thresher.collections.tar import Tar
from thresher.collections.trec_web import TrecWeb
from thresher.collections.warc import Warc

_MOST_SHARED = 20_000


@dataclass(frozen=True)
class Target:
    """`check` takes an input and a folder for its files; `prepare` does once what it needs.

    `packing` is how the format is compressed, piece by piece where a piece begins as `begins` says: half of the inputs are
    damaged within and then compressed, half as they lie on the disk. `parts` are the target's share of all inputs; `shared`
    says which files of the shared data are seeds too.
    """

    name: str
    parts: int
    check: Callable[[bytes, Path], None]
    seeds: tuple[bytes, ...]
    tokens: tuple[bytes, ...]
    packing: str = ""
    begins: bytes = b""
    shared: tuple[str, ...] = ()
    prepare: Callable[[Path], object] = str

    def make(self, seed: int, number: int, shared: tuple[bytes, ...] = ()) -> bytes:
        """Return an input, the same one for the same numbers and shared seeds."""
        rng = random.Random(f"{self.name} {seed} {number}")
        all_seeds = (*self.seeds, *shared)
        if not self.packing:
            return mutated(rng, all_seeds, self.tokens)
        within = rng.random() < 0.5
        content = mutated(rng, all_seeds, self.tokens) if within else rng.choice(all_seeds)
        packed = self._packed(rng, content)
        return packed if within and rng.random() < 0.7 else mutated(rng, (packed,), self.tokens)

    def _packed(self, rng: random.Random, content: bytes) -> bytes:
        """Compress the content in one piece, or each piece that begins as `begins` says."""
        pieces = [content]
        if self.begins and rng.random() < 0.8:
            first, *others = content.split(self.begins)
            pieces = [first, *(self.begins + other for other in others)]
        return b"".join(seeds.compressed(piece, self.packing) for piece in pieces if piece)

    def shared_seeds(self, folder: Path) -> tuple[bytes, ...]:
        """Return the beginnings of the files of the shared data."""
        paths = sorted(path for pattern in self.shared for path in folder.glob(pattern))
        return tuple(path.read_bytes()[:_MOST_SHARED] for path in paths)


_PAGES = ("cleaning/*/input/1*.html", "cleaning/*/input/2*.htm*")
_WARC_SEEDS, _WARC_TOKENS = (*seeds.WARCS,), (*seeds.WARC_TOKENS, *seeds.HTTP_TOKENS[:8])
_JSON = (*seeds.JSON_LINES,)

TARGETS = {
    target.name: target
    for target in (
        Target("pages", 24, texts.read_pages, seeds.PAGES, seeds.PAGE_TOKENS, shared=_PAGES, prepare=texts.all_scorers),
        Target(
            "charsets",
            8,
            texts.read_charsets,
            tuple(label + b"\n" + page for label, page in zip(seeds.CHARSETS, seeds.PAGES * 9, strict=False)),
            (*seeds.PAGE_TOKENS, *seeds.CHARSETS),
        ),
        Target("links", 4, texts.read_links, seeds.LINKS, (*seeds.PAGE_TOKENS, *seeds.LINK_TOKENS)),
        Target("warc", 8, readers.reader(Warc(), ".warc"), _WARC_SEEDS, _WARC_TOKENS, shared=("warc/*.warc",)),
        Target(
            "warc.gz",
            8,
            readers.reader(Warc(), ".warc.gz"),
            _WARC_SEEDS,
            _WARC_TOKENS,
            "gzip",
            b"WARC/1.0",
            ("warc/*.warc",),
        ),
        Target("warc.zst", 5, readers.reader(Warc(), ".warc.zst"), _WARC_SEEDS, _WARC_TOKENS, "zstd", b"WARC/1.0"),
        Target("http", 8, readers.read_response, seeds.HTTP, seeds.HTTP_TOKENS),
        Target("trec-web", 8, readers.reader(TrecWeb(), ".trec"), seeds.TREC_WEB, seeds.TREC_WEB_TOKENS),
        Target("trec-web.gz", 3, readers.reader(TrecWeb(), ".trec.gz"), seeds.TREC_WEB, seeds.TREC_WEB_TOKENS, "gzip"),
        Target("jsonl", 8, readers.reader(JsonLines(), ".jsonl"), _JSON, seeds.JSON_TOKENS),
        Target("jsonl.gz", 3, readers.reader(JsonLines(), ".jsonl.gz"), _JSON, seeds.JSON_TOKENS, "gzip"),
        Target("parquet", 3, readers.reader(ParquetRows(), ".parquet"), seeds.PARQUETS, seeds.PARQUET_TOKENS),
        Target("tar", 6, readers.reader(Tar(), ".tar"), seeds.TARS, seeds.TAR_TOKENS),
        Target("tar.gz", 2, readers.reader(Tar(), ".tar.gz"), seeds.TARS, seeds.TAR_TOKENS, "gzip"),
        Target(
            "unknown",
            3,
            readers.read_unknown,
            (*seeds.WARCS[:2], *seeds.TREC_WEB, *seeds.JSON_LINES, *seeds.TARS, *seeds.PAGES[:2]),
            (*seeds.WARC_TOKENS, *seeds.TREC_WEB_TOKENS),
        ),
        Target("topics", 8, texts.read_topic_files, seeds.TOPICS, seeds.TOPIC_TOKENS, shared=("topics-qrels/topics*",)),
        Target("topics.gz", 1, texts.read_topic_files, seeds.TOPICS, seeds.TOPIC_TOKENS, "gzip"),
        Target("qrels", 6, texts.read_qrel_files, seeds.QRELS, seeds.COLUMN_TOKENS, shared=("retrieval/*/qrels*",)),
        Target("runs", 5, texts.read_run_files, seeds.RUNS, seeds.COLUMN_TOKENS),
        Target("experiments", 6, texts.read_experiments, seeds.EXPERIMENTS, seeds.EXPERIMENT_TOKENS),
        Target(
            "gold",
            4,
            texts.read_gold_files,
            seeds.GOLD,
            seeds.GOLD_TOKENS,
            shared=("cleaning/*/GoldStandard/1*.txt",),
        ),
        Target("arpa", 2, texts.import_models, seeds.ARPAS, seeds.ARPA_TOKENS),
        Target("names", 6, products.parse_names, products.NAMES, products.NAME_TOKENS),
        Target("outputs", 5, products.write_outputs, seeds.PAGES, seeds.PAGE_TOKENS, prepare=products.clean_one),
        Target("content", 4, products.read_content_models, products.CONTENT_MODELS, products.MODEL_TOKENS),
        Target("characters", 4, products.read_character_models, products.CHARACTER_MODELS, products.MODEL_TOKENS),
        Target("results", 3, products.read_result_files, products.results()[:1], products.RESULT_TOKENS),
        Target("variants", 3, products.read_variant_tables, products.results()[1:], seeds.PARQUET_TOKENS),
        Target("page.gz", 3, surfaces.packed_page(".gz"), surfaces.PACKED_PAGES, seeds.PAGE_TOKENS, "gzip", b"<p>"),
        Target("page.zst", 3, surfaces.packed_page(".zst"), surfaces.PACKED_PAGES, seeds.PAGE_TOKENS, "zstd", b"<p>"),
        Target("page.br", 3, surfaces.packed_page(".br"), surfaces.PACKED_PAGES, seeds.PAGE_TOKENS, "brotli"),
        Target("texts", 4, surfaces.read_texts_of_pages, surfaces.TEXTS, seeds.JSON_TOKENS),
        Target("advise", 4, advising.advise_inputs, advising.SEEDS, advising.TOKENS),
        Target("page-scores", 4, surfaces.read_page_scores, surfaces.PAGE_SCORES, seeds.COLUMN_TOKENS),
        Target("returned", 5, surfaces.read_returned, surfaces.RETURNED, surfaces.RETURNED_TOKENS),
        Target(
            "extractors", 3, surfaces.read_extracted, seeds.PAGES, seeds.PAGE_TOKENS, prepare=surfaces.all_extractors
        ),
    )
}
