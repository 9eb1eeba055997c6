"""`python -m humanoid_bringup`: the command line, as ./humanoid starts it."""

import signal
import sys

try:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # a set of programs keeps it back while we load
    from humanoid_bringup.cli import main

    status = main()
except ModuleNotFoundError as error:
    sys.exit(f"humanoid: {error}. The set-up is damaged: delete the folder .venv and run the same command again.")
except KeyboardInterrupt:
    sys.exit(130)

sys.exit(status)
