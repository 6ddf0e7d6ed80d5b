"""No two processes draw the same noise, however they came about."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from multiprocessing import get_context

import numpy as np
import pytest

import understudy.gate.noise as room
from understudy.gate.noise import Noise, OpenDPNoise, SystemNoise

LONG = 5000  # enough for tables of the law
SCRIPT = """
import json, os, sys
import numpy as np
from understudy.gate.noise import OpenDPNoise, SystemNoise
def draw():
    found = []
    for noise in (SystemNoise(), OpenDPNoise()):
        for length in (30, 5000):
            zeros = np.zeros(length, dtype=np.int64)
            found.append(noise.laplace(zeros, scale=40.0)[:30].tolist())
            found.append(noise.gaussian(zeros, scale=40.0)[:30].tolist())
        scores = np.zeros(1 << 16, dtype=np.int64)
        found.append([noise.permute_and_flip(scores, scale=1.0) for _ in range(4)])
        found.append([noise.gumbel_max(scores, scale=1.0) for _ in range(4)])
    return found
mine = [draw()]  # whatever could be buffered is, before the fork
for _ in range(3):
    read, write = os.pipe()
    if not os.fork():
        os.write(write, json.dumps(draw()).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        mine.append(json.load(pipe))
    os.wait()
mine.append(draw())
print(json.dumps(mine))
"""


def drawn() -> list[list[list[int]]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], check=True, stdout=subprocess.PIPE, env={**os.environ}
    )
    found: list[list[list[int]]] = json.loads(done.stdout)
    return found


def test_forked_and_spawned_children_draw_apart() -> None:
    """30 draws of scale 40 agree by chance with a probability below 80**-30."""
    processes = [*drawn(), *drawn()]
    assert len(processes) == 10
    for place in range(len(processes[0])):
        vectors = [tuple(process[place]) for process in processes]
        assert len(set(vectors)) == len(vectors), place


@pytest.mark.parametrize("noise", [SystemNoise(), OpenDPNoise()], ids=lambda n: type(n).__name__)
def test_a_source_of_noise_cannot_be_sent_to_another_process(noise: Noise) -> None:
    context = get_context("spawn")
    with pytest.raises(TypeError, match="never pickled"):
        context.Process(target=noise.laplace, args=(np.zeros(3, dtype=np.int64),)).start()


def test_nothing_random_is_kept_between_draws() -> None:
    """What a module keeps is parameters: the caches hold functions of kind and scale alone."""
    kept = {name for name in vars(room) if hasattr(getattr(room, name), "cache_info")}
    assert kept == {"_law", "_measurement"}
