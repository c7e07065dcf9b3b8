"""The server as a program: prints its port, then serves until it is stopped."""

import argparse
import signal
import sys
from pathlib import Path

from tests.fakes.model_server import SCENARIOS, ModelServer


def main() -> None:
    """Serves one scenario on every route; `--route NAME=SCENARIO` gives a route one of its own."""
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.model_server")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--scenario", choices=SCENARIOS, default="ok")
    parser.add_argument("--route", action="append", default=[], metavar="NAME=SCENARIO")
    parser.add_argument("--log", type=Path, help="a JSON line for each request")
    given = parser.parse_args()
    routes = {name: SCENARIOS[scenario] for name, _, scenario in (route.partition("=") for route in given.route)}
    stops = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    with ModelServer(routes, SCENARIOS[given.scenario], given.log, given.port) as server:
        sys.stdout.write(f"{server.port}\n")
        sys.stdout.flush()
        signal.sigwait(stops)


if __name__ == "__main__":
    main()
