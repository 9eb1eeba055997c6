"""`python -m humanoid_bringup`: the command line, as ./humanoid starts it."""

import sys

try:
    from humanoid_bringup.cli import main

    status = main()
except ModuleNotFoundError as error:
    sys.exit(f"humanoid: {error}. The set-up is damaged: delete the folder .venv and run the same command again.")
except KeyboardInterrupt:
    sys.exit(130)

sys.exit(status)
