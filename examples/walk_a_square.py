"""Walks along a square, by the clock: FIBO-KM cannot feel a turn about the vertical.

./humanoid sim fibo_km --walk &
./humanoid program examples/walk_a_square.py --robot /fibo_km --rate 20
"""

import math

STRAIGHT = ({"forward": 0.15}, 2.0)  # m/s, and for how long, s
CORNER = ({"turn": 0.5}, math.pi / 2 / 0.5)  # rad/s
legs = 4 * [STRAIGHT, CORNER]
ends = None  # s: when the present leg is over


def control(robot):
    """Walk one leg after the other."""
    global ends
    if robot.gait in ("fallen", "getting up"):
        raise RuntimeError("the robot has fallen")
    if robot.gait != "ready":
        robot.walk()  # lets it rise
    elif ends is None or robot.time >= ends:
        if not legs:
            robot.finish()
            return
        velocity, seconds = legs.pop(0)
        print(f"{robot.time:.1f} s: {velocity}, {len(legs)} legs to go")
        robot.walk(**velocity)
        ends = robot.time + seconds
