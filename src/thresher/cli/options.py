"""Options that several verbs have."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from thresher.errors import ConfigError

if TYPE_CHECKING:
    from thresher.experiments.config import Experiment
    from thresher.passes.backends import Backend

Verb = Callable[..., Any]


def backend_options(verb: Verb) -> Verb:
    """Add `--workers`, `--backend`, `--scheduler`."""
    for option in (
        click.option("--scheduler", default="", help="Where the Dask scheduler is, such as tcp://head:8786."),
        click.option(
            "--backend", type=click.Choice(["loky", "dask"]), help="Who works [default: loky, processes here]."
        ),
        click.option("--workers", type=click.IntRange(1), help="Processes [default: one a core]."),
    ):
        verb = option(verb)
    return verb


def json_field_options(verb: Verb) -> Verb:
    """Add the options that say which members of JSON lines are what."""
    for name, default, meaning in (
        ("url", "url", "address"),
        ("text", "contents", "plain text, where there is no page"),
        ("html", "html", "page"),
        ("id", "id", "id"),
    ):
        option = click.option(
            f"--{name}-field",
            default=default,
            show_default=True,
            help=f"The member of JSON lines that is the {meaning}.",
        )
        verb = option(verb)
    return verb


def chosen_backend(name: str | None, workers: int | None, scheduler: str) -> Backend:
    """Return the backend that options ask for.

    Raises:
        ConfigError: if Dask has no scheduler, or a scheduler is given to processes of this machine.
    """
    from thresher.defaults import DASK, LOKY
    from thresher.passes.backends import Backend

    name = name or (DASK if scheduler else LOKY)
    if name == DASK and not scheduler:
        raise ConfigError("Dask's scheduler is not named", "add --scheduler tcp://HOST:8786", "--backend dask")
    if name == LOKY and scheduler:
        raise ConfigError("a scheduler is of use to dask alone", "write --backend dask", "--scheduler")
    return Backend(name, workers or os.cpu_count() or 1, scheduler)


def with_backend(config: Experiment, name: str | None, workers: int | None, scheduler: str) -> Experiment:
    """Return the experiment with what options say of who works in place of what its file says.

    Raises:
        ConfigError: as `chosen_backend`.
    """
    if name or scheduler:
        chosen = chosen_backend(name, workers or config.workers, scheduler)
        config = replace(config, backend=chosen.name, scheduler=chosen.scheduler)
    return replace(config, workers=workers) if workers else config
