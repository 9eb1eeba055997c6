"""`python -m humanoid_bringup`: the command line, as ./humanoid starts it."""

import sys

from humanoid_bringup.cli import main

sys.exit(main())
