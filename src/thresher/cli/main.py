"""The command `thresher`: its verbs, its errors in one line each, its exit codes."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from thresher import __version__
from thresher.base import removed
from thresher.base.errors import (
    ConfigError,
    InputError,
    MissingDependencyError,
    OutputClosed,
    ResourceError,
    ThresherError,
    is_out_of_memory,
    memory_error,
)
from thresher.base.files import user_error, without_leftovers
from thresher.cli import experiment
from thresher.cli.clean import clean, cleaners, cleaneval, methods
from thresher.cli.model_verbs import lm, ncleaner, perplexity
from thresher.cli.options import print_line, print_message
from thresher.cli.stages import evaluate, index, search
from thresher.cli.standard_streams import drop_output, mend_standard_streams

_NAME = "thresher"
_INTERRUPTED = (
    "interrupted. Fix: run the same command again; `run` and `explore` continue where they stopped, and with an output file "
    "or folder `clean` and `cleaneval`."
)


def main() -> None:
    """Run the command line; errors become one line each and an exit code by their class."""
    mend_standard_streams()
    try:
        with without_leftovers():
            cli.main(prog_name=_NAME, standalone_mode=False)
        # Errors after this line would have no exit code of ours.
        sys.stdout.flush()
    except ThresherError as error:
        _fail(error.lines(), error.exit_code)
    except OutputClosed:
        drop_output()
        sys.exit(OutputClosed.exit_code)
    except click.NoSuchOption as error:
        _fail([_unknown_option(error)], ConfigError.exit_code)
    except click.UsageError as error:
        _fail([_usage_error(error)], ConfigError.exit_code)
    except click.ClickException as error:
        _fail([error.format_message()], ConfigError.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _fail([_INTERRUPTED], 130)
    except OSError as error:
        shown = _system_error(error)
        _fail(shown.lines(), shown.exit_code)
    except Exception as error:
        # Imports and threads may fail with errors of other classes.
        if not is_out_of_memory(error):
            raise
        _fail(memory_error().lines(), ResourceError.exit_code)


def _usage_error(error: click.UsageError) -> str:
    """Return the line of a command line that click refuses."""
    line = error.format_message().rstrip(".")
    if not line.endswith("?"):
        line += "."
    if error.ctx:
        line += f" Fix: see `{error.ctx.command_path} --help`."
    return line


def _unknown_option(error: click.NoSuchOption) -> str:
    """Return the line of an option that no command has, or that version 0.2 had."""
    command = ""
    if error.ctx:
        command = error.ctx.command_path.removeprefix(f"{_NAME} ")
    fix = removed.OPTIONS.get((command, error.option_name))
    if fix is None:
        return _usage_error(error)
    (line,) = ConfigError(removed.removed_text(error.option_name), fix, f"thresher {command}").lines()
    return line


def _system_error(error: OSError) -> ThresherError:
    if error.filename:
        return user_error(error, error.filename)
    try:
        return user_error(error, Path.cwd())
    except FileNotFoundError:
        return InputError("the working folder is gone", "change to an existing folder")


def _fail(lines: list[str], code: int) -> None:
    for line in lines:
        print_message(f"error: {line}")
    sys.exit(code)


class _Verbs(click.Group):
    """Verbs in groups, each with its whole summary."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; a verb of version 0.2 that was removed is an error that names its replacement."""
        for name in (" ".join(args[:2]), args[0]):
            if name in removed.COMMANDS:
                raise ConfigError(removed.removed_text(f"`thresher {name}`"), removed.COMMANDS[name])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002, as click calls it
        """Write the verbs."""
        for heading, names in _GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(limit=500)) for name in names])


@click.group(
    cls=_Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    invoke_without_command=True,
)
@click.version_option(__version__, prog_name=_NAME)
@click.pass_context
def cli(context: click.Context) -> None:
    """Clean a web collection, search it, and see what cleaning costs and saves."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@click.command()
def doctor() -> None:
    """List installed and missing packages, with fixes, and the machine's CPU, memory and disk."""
    from thresher.doctor import examine

    findings = examine()
    width = max(len(finding.what) for finding in findings)
    for finding in findings:
        print_line(f"{finding.mark} {finding.what:{width}}  {finding.state}")
        if finding.fix:
            print_line(f"  {'':{width}}  fix: {finding.fix}")
    if any(finding.missing for finding in findings):
        sys.exit(MissingDependencyError.exit_code)


_VERBS: dict[str, tuple[click.Command, ...]] = {
    "Prepare": (doctor, experiment.init, cleaners, methods, lm, ncleaner),
    "Run": (experiment.run, experiment.explore, experiment.measure, cleaneval),
    "Choose": (experiment.advise, experiment.choose),
    "Look": (experiment.report, experiment.explain, experiment.play),
    "Single stages": (clean, index, search, evaluate, perplexity),
}
_GROUPS = {heading: [verb.name or "" for verb in verbs] for heading, verbs in _VERBS.items()}
for verbs in _VERBS.values():
    for verb in verbs:
        cli.add_command(verb)
