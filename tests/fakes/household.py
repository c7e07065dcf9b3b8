"""A child with a grandchild that is hard to end: `household.py PIDS HOW WHERE`.

The grandchild holds stdout, ignores polite signals and prints. WHERE: `group` (beside the child), `session` (one of its
own), `orphan` (its own session, and its parent has died), `hidden` (an orphan that cleared its environment too).
HOW the child goes on: `hang`, `stubborn` (ignores signals), `exit`, `answer` (prints ANSWER and hangs), `hopeless`,
`flood`. Each writes its pid as one line to PIDS before the child goes on. (No pathlib: it would cost each start 20 ms.)
"""

# ruff: noqa: SIM115
import os
import signal
import sys
import time

PIDS, HOW, WHERE = sys.argv[1:]


def ignore() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def note() -> None:
    with open(PIDS, "a") as file:
        file.write(f"{os.getpid()}\n")


def grandchild() -> None:
    if WHERE != "group":
        os.setsid()
    if WHERE in ("orphan", "hidden") and os.fork():
        os._exit(0)
    ignore()
    env = {} if WHERE == "hidden" else dict(os.environ)
    code = f"import os, time; open({PIDS!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
    code += "while True: print('still here', flush=True); time.sleep(0.05)"
    os.execve(sys.executable, [sys.executable, "-I", "-S", "-c", code], env)


if HOW == "stubborn":
    ignore()
note()
child = os.fork()
if not child:
    grandchild()
if WHERE in ("orphan", "hidden"):
    os.waitpid(child, 0)
while len(open(PIDS).readlines()) < 2:
    time.sleep(0.005)
if HOW == "exit":
    os._exit(3)
print({"answer": "ANSWER", "hopeless": "HOPELESS"}.get(HOW, "hello"), flush=True)
while True:
    if HOW == "flood":
        sys.stdout.write("x" * 65536)
    else:
        time.sleep(0.1)
