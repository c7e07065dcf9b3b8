"""Runs the command with SIGINT and SIGTERM as they come (a shell starts background jobs with SIGINT ignored)."""

import os, signal, sys

for s in (signal.SIGINT, signal.SIGTERM):
    signal.signal(s, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
