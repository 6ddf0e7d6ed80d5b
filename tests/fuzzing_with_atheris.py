"""``python -m tests.fuzzing_with_atheris NAME -runs=N``: look for inputs that reach new code.

What breaks a promise is told with a traceback and exit code 77.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path


def main(name: str, arguments: list[str]) -> None:
    """Fuzz one target of ``tests/fuzzing.py``; it ends the process."""
    import atheris

    with atheris.instrument_imports(include=["understudy"]):
        from tests import fuzzing
    with tempfile.TemporaryDirectory(prefix="corpus-") as corpus:
        for number, seed in enumerate(fuzzing.seeds(name)):
            (Path(corpus) / str(number)).write_bytes(seed)
        options = [f"-artifact_prefix={corpus}/", "-max_len=4096", "-rss_limit_mb=4096"]
        atheris.Setup([name, *options, *arguments, corpus], fuzzing.TARGETS[name])
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
