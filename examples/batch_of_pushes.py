"""Pushes a walking robot from four sides, with two strengths, on all cores, and tells when it fell.

./humanoid python examples/batch_of_pushes.py fibo_km
"""

import math
import sys

from humanoid_bringup.trials import Push, Trial, run_trials
from humanoid_description import load_robot

SPEED, SECONDS = 0.2, 3.0  # m/s, s
IMPULSES = (0.2, 0.6)  # N s for each kg of the robot
SIDES = {"from behind": 0, "from the right": 90, "from ahead": 180, "from the left": 270}  # degrees of its direction

if __name__ == "__main__":  # the trials run in processes that import this file
    robot = load_robot(sys.argv[1])
    cases = [(side, impulse) for side in SIDES for impulse in IMPULSES]
    trials = [
        Trial(
            robot, robot, (SPEED, 0.0, 0.0), SECONDS, seed=1, push=Push(math.radians(SIDES[side]), impulse, after=1.0)
        )
        for side, impulse in cases
    ]
    for (side, impulse), outcome in zip(cases, run_trials(trials, "pushing"), strict=True):
        became = f"fell after {outcome.seconds:.1f} s" if outcome.fell else "went on walking"
        print(f"{side:<16}{impulse:.1f} N s/kg: {became}")
