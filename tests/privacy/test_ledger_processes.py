"""Several processes at once, and processes that are killed: real ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import pytest

import understudy
from tests.privacy.conftest import TOY
from understudy.errors import BudgetExceeded
from understudy.privacy.budget import PureDP
from understudy.privacy.ledger import Ledger

SOURCE = Path(understudy.__file__).parent.parent
START = """
import os, signal, sys
from fractions import Fraction
from understudy.errors import BudgetExceeded
from understudy.privacy.budget import PureDP
from understudy.privacy.ledger import Ledger
ledger = Ledger.open(sys.argv[1])
"""
RESERVE = """
won = 0
for attempt in range(6):
    try:
        run = ledger.reserve(PureDP(Fraction(1, 30)), purpose="race")
    except BudgetExceeded:
        continue
    won += 1
    for share in run.budget.shares(2):
        charge = run.charge("count", detail={"attempt": attempt}, cost=share)
        run.journal(charge, {"answer": [int(sys.argv[2]), attempt]})
    if attempt % 2:
        run.close()
sys.exit(won)
"""


def start(script: str, path: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", START + script, str(path), *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def ledger(path):
    return Ledger.init(path, **TOY, total=PureDP(1))


def test_eight_processes_together_never_overspend(ledger, path):
    children = [start(RESERVE, path, str(number)) for number in range(8)]
    errors = [child.communicate()[1] for child in children]
    assert not any(errors), errors
    won = sum(child.returncode for child in children)
    state = ledger.state()
    assert won == len(state.runs) == 30  # of 48 that were asked
    assert state.left == PureDP(0)
    assert state.spent + state.reserved == PureDP(1)
    for run in state.runs:
        assert [charge.cost for charge in run.charges] == [PureDP(Fraction(1, 60))] * 2
    assert sorted(run.run_id for run in state.runs) == [run.run_id for run in state.runs]
    with pytest.raises(BudgetExceeded):
        ledger.reserve(PureDP(Fraction(1, 10**9)), purpose="late")


def test_threads_share_a_ledger_in_memory():
    ledger = Ledger.in_memory(**TOY, total=PureDP(1))
    won = []

    def work():
        for _ in range(10):
            try:
                run = ledger.reserve(PureDP("1/25"), purpose="thread")
            except BudgetExceeded:
                continue
            run.charge("count", detail={}, cost=PureDP("1/25"))
            won.append(run.run_id)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == len(set(won)) == 25
    assert ledger.state().left == PureDP(0)


KILL = {
    "exit between reserving and closing": "os._exit(9)",
    "killed between reserving and closing": "os.kill(os.getpid(), signal.SIGKILL)",
    "killed inside a transaction": """
with ledger._store.transaction(write=True) as connection:
    connection.execute("UPDATE run SET purpose = 'half done'")
    connection.execute("PRAGMA cache_spill = 1")
    connection.execute("INSERT INTO run (kind, purpose, working, entered, opened)"
                       " VALUES ('run', 'half done', '', '', '')")
    os.kill(os.getpid(), signal.SIGKILL)
""",
}


@pytest.mark.parametrize("how", KILL, ids=lambda how: how.replace(" ", "-"))
def test_a_killed_run_stays_spent_and_can_go_on(ledger, path, how):
    script = f"""
run = ledger.reserve(PureDP("1/2"), purpose="doomed")
run.journal(run.charge("count", detail={{"n": 1}}, cost=PureDP("1/8")), {{"noisy": [17]}})
run.charge("count", detail={{"n": 2}}, cost=PureDP("1/8"))
{KILL[how]}
"""
    child = start(script, path)
    child.communicate()
    assert child.returncode in (9, -signal.SIGKILL)
    state = Ledger.open(path).state()
    assert [run.purpose for run in state.runs] == ["doomed"]
    assert state.left == PureDP("1/2")
    assert state.reserved == PureDP("1/2")
    assert len(state.runs[0].charges) == 2
    run = ledger.resume(state.runs[0].run_id)
    first = run.charge("count", detail={"n": 1}, cost=PureDP("1/8"))
    assert run.recall(first) == {"noisy": [17]}
    assert run.recall(run.charge("count", detail={"n": 2}, cost=PureDP("1/8"))) is None
    assert run.close() == PureDP("1/4")
    assert ledger.state().left == PureDP("3/4")


def test_a_fork_and_its_parent_cannot_spend_one_place_twice(ledger, path):
    script = """
run = ledger.reserve(PureDP("1/2"), purpose="forked")
child = os.fork()
if child:
    os.waitpid(child, 0)
try:
    run.charge("count", detail={"who": "either"}, cost=PureDP("1/2"))
except Exception as error:
    os._exit(0 if "used twice" in str(error) and child else 1)
os._exit(2 if child else 0)
"""
    process = start(script, path)
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    (run,) = ledger.entries()
    assert len(run.charges) == 1
