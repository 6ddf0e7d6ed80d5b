"""Outputs that cannot be written, and disks that are full or may only be read."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.cli.conftest import Home
from tests.cli.program import run, untouched
from tests.cli.test_ledger_place import fill, tiny_disk

OK = ("--epsilon", "1")


def test_outputs_that_cannot_be_written(home: Home) -> None:
    (home / "file").write_text("")
    (home / "folder").mkdir()
    for place in ("no/such/s.csv", "file/s.csv", "folder", "s.xlsx", "s"):
        for option in ("--out", "--release", "--report"):
            if (option, place) in (("--release", "s"), ("--release", "s.xlsx")):
                continue
            with untouched(home.folder):
                made = run(
                    "synthesize", home.table, "--schema", home.schema, *OK, option, home / place
                )
            assert made.code == 2, (option, place, made.err)
            assert "Traceback" not in made.err
            assert str(home / place) in made.err or Path(place).name in made.err


def test_a_disk_that_may_only_be_read(home: Home) -> None:
    with tiny_disk(home / "disk") as disk:
        assert run("ledger", "init", disk / "x.ledger", "--schema", home.schema, *OK).code == 0
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        asked = ("synthesize", home.table, "--schema", home.schema, *OK)
        made = run(*asked, "--no-ledger", "--out", disk / "s.csv")
        assert made.code == 2, made.err
        assert "permission" in made.err or "read-only" in made.err.lower()
        refused = run(*asked, "--ledger", disk / "x.ledger", "--out", home / "s.csv")
        assert refused.code == 4, refused.err
        assert "cannot be written" in refused.err
        assert not (home / "s.csv").exists()
        assert run("ledger", "show", disk / "x.ledger").code == 0


def test_no_space_for_what_is_written(home: Home) -> None:
    with tiny_disk(home / "disk") as disk:
        fill(disk)
        for output in (("--out", disk / "s.csv"), ("--release", disk / "r")):
            asked = ("--schema", home.schema, "--rows", 5000, "--no-ledger", *OK, *output)
            made = run("synthesize", home.table, *asked)
            assert made.code == 1, made.err
            assert "no space left" in made.err.lower()
            assert "Traceback" not in made.err
        assert [path.name for path in disk.iterdir()] == ["ballast"]
