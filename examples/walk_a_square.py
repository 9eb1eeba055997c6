"""Walks along a square, by the clock: FIBO-KM cannot feel a turn about the vertical.

./humanoid sim fibo_km --walk &
./humanoid program examples/walk_a_square.py --robot /fibo_km --rate 20
"""

import math

SPEED, SIDE = 0.15, 0.3  # m/s, m
TURN = 0.5  # rad/s
STRAIGHT = ({"forward": SPEED}, SIDE / SPEED)
CORNER = ({"turn": TURN}, math.pi / 2 / TURN)
legs = 4 * [STRAIGHT, CORNER]
began = None  # s: when the present leg began


def control(robot):
    """Walk one leg after the other."""
    global began
    robot.walk()  # lets it rise, at first
    if robot.gait in ("fallen", "getting up"):
        raise RuntimeError("the robot has fallen")
    if robot.gait != "ready":
        return
    began = robot.time if began is None else began
    velocity, seconds = legs[0]
    robot.walk(**velocity)
    if robot.time - began >= seconds:
        print(f"{robot.time:.1f} s: {len(legs) - 1} legs to go")
        legs.pop(0)
        began = robot.time
    if not legs:
        robot.finish()
