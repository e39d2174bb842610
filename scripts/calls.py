"""Functions that run Thresher and the papers' scripts."""

import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from thresher import Results, VariantTable, read_results
from thresher.reports.formatting import MARKS, direction


def thresher(*arguments: object) -> str:
    """Run a command of this environment's thresher, and return its output."""
    command = [str(Path(sys.executable).with_name("thresher")), *map(str, arguments)]
    print(*command[1:], flush=True)
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def paper(script: str, *arguments: object, output: Path) -> None:
    """Run a script of scripts/papers, which writes into the folder `output`."""
    path = Path(__file__).parent / "papers" / f"{script}.py"
    print(path.name, *arguments, flush=True)
    subprocess.run([sys.executable, str(path), *map(str, arguments), "-o", str(output)], check=True)


def cell(table: VariantTable, index: int) -> str:
    """Return a variant's main measure with its mark, and the bytes of its index in per cent of the baseline's."""
    built = table.rows[index].built
    comparison = built.comparisons.get(table.main) if built else None
    mark = MARKS[direction(comparison)]
    return f"{table.mean(table.main)[index]:.4f}{mark} ({100 * table.bytes_shares[index]:.0f})"


def run_sweeps(path: Path, name: str, sweeps: Mapping[str, Sequence[object]], output: Path, more: str = "") -> Results:
    """Run an experiment's collection, topics and qrels as the experiment `name`, and return the results.

    Args:
        path: the experiment file.
        name: name of the new experiment and its folder of results.
        sweeps: cutoffs by scorer, which replace the experiment's sweeps and cleaners.
        output: folder for the folders of results and indexes.
        more: TOML tables to add.
    """
    text = path.read_text(encoding="utf-8")
    old = tomllib.loads(text)["experiment"]["name"]
    head = text[: text.index("[[sweep]]")].replace(f'name = "{old}"', f'name = "{name}"')
    body = "".join(
        f"[[sweep]]\nscorer = {scorer!r}\ncutoffs = {[*cutoffs]!r}\n\n" for scorer, cutoffs in sweeps.items()
    )
    temporary = path.with_name(f".{name}.toml")
    temporary.write_text(f'{head}{body}[retrieval]\nmodels = ["qld"]\n{more}', encoding="utf-8")
    try:
        thresher("run", temporary, "--results", output, "--indexes", output / "indexes", "--fresh")
    finally:
        temporary.unlink()
    return read_results(output / name)
