"""`ottla spark package`: what executors need that do not have Ottla."""

from pathlib import Path

import click

from ottla.cli.output import note


@click.group()
def spark() -> None:
    """Ottla on a Spark cluster."""


@spark.command()
@click.argument("path", type=click.Path(path_type=Path, dir_okay=False), default=Path("ottla-executors.zip"))
@click.option("--with", "others", multiple=True, metavar="PACKAGE", help="Send this package of here as well (pyarrow).")
def package(path: Path, others: tuple[str, ...]) -> None:
    """Write an archive of Ottla, kernels compiled, for executors that do not have it.

    What is printed are the options that spark-submit (or pyspark, or spark-shell) takes with it.
    """
    from ottla.spark.executor_package import build_archive, executor_settings

    build_archive(path, others)
    note(f"{path}: {path.stat().st_size / 1e6:.1f} MB")
    for key, value in executor_settings(path.resolve()).items():
        click.echo(f"--conf {key}={value}")
