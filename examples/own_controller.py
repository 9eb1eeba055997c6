"""Goes down on its knees and up again, twice, while the ankles damp what the gyroscope feels.

./humanoid sim fibo_km &
./humanoid program examples/own_controller.py --robot /fibo_km --rate 100
"""

import math

DEPTH = 0.35  # rad that hips and ankles bend at most; the knees bend twice as much
PERIOD = 3.0  # s for down and up
DAMPING = 0.05  # rad of the ankles for each rad/s of pitching


def control(robot):
    """Say where the legs shall be now."""
    bend = DEPTH * (1 - math.cos(2 * math.pi * robot.time / PERIOD)) / 2
    pitching = robot.turning[1]
    for side in ("left", "right"):
        robot.command(
            {
                f"{side}_hip_pitch": -bend,
                f"{side}_knee": 2 * bend,
                f"{side}_ankle_pitch": -bend + DAMPING * pitching,
            }
        )
    if robot.time >= 2 * PERIOD:
        print(f"knees at {robot.angle['left_knee']:.2f} and {robot.angle['right_knee']:.2f} rad")
        robot.finish()
