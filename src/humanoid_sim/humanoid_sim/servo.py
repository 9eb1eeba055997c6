"""Servos as laws of torque, for any engine: joint state and target in, torque out.

Laws (robot.yaml, ``servos.*.law``):

- ``pd``: torque = stiffness (target - angle) + damping (target speed - speed); seed 000's P control has no damping.
- ``dynamixel_rx``: the motor is driven with the share of its voltage that grows from ``punch`` at the compliance margin
  to all of it over the compliance slope (RX, AX).
- ``dynamixel_pid``: that share comes from a PID controller (MX, X).

A driven motor gives torque = stall (share - speed / no-load speed), the line through stall torque and no-load speed,
both in proportion to the supply voltage. In front of every law stand the encoder's count and, for servos that limit
them, speed and acceleration of the reference (seed 001: 281 deg/s, 1400 deg/s^2); behind it friction, backlash and the
torque limit.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from humanoid_description.parameters import Servo
from humanoid_sim.compiling import compiled

LAWS = ("pd", "dynamixel_rx", "dynamixel_pid")
PD, DYNAMIXEL_RX, DYNAMIXEL_PID = 0.0, 1.0, 2.0
STICTION_SPEED = 0.01
"""rad/s below which Coulomb friction fades linearly to zero."""
# Places in a vector of parameters.
(
    LAW,
    STIFFNESS,
    SERVO_DAMPING,
    STALL,
    NO_LOAD,
    MARGIN,
    SLOPE,
    PUNCH,
    GAIN_P,
    GAIN_I,
    GAIN_D,
    COULOMB,
    VISCOUS,
    BACKLASH,
    RESOLUTION,
    LIMIT,
    MAX_SPEED,
    MAX_ACCELERATION,
) = range(18)
PARAMETER_SIZE = 18
# Places in a vector of state.
REFERENCE, REFERENCE_SPEED, INTEGRAL, GAP = range(4)
STATE_SIZE = 4


def servo_vector(servo: Servo, voltage_share: float = 1.0, torque_share: float = 1.0) -> NDArray[np.float64]:
    """Parameters of a servo as the compiled functions take them.

    Args:
        servo: As robot.yaml has it.
        voltage_share: Supply voltage over the one at which stall torque and no-load speed hold.
        torque_share: Torque limit over stall torque; infinite for a servo without limit.
    """
    return np.array(
        [
            float(LAWS.index(servo.law)),
            servo.stiffness,
            servo.damping,
            servo.stall_torque * voltage_share,
            servo.no_load_speed * voltage_share,
            servo.compliance_margin,
            servo.compliance_slope,
            servo.punch,
            servo.gain_p,
            servo.gain_i,
            servo.gain_d,
            servo.coulomb_friction,
            servo.viscous_friction,
            servo.backlash,
            servo.resolution or 0.0,
            servo.stall_torque * voltage_share * torque_share,
            servo.max_speed or math.inf,
            # Without a speed, the acceleration is one to plan with: AR-601M's servos follow what is planned (seed 003).
            servo.max_acceleration if servo.max_speed and servo.max_acceleration else math.inf,
        ]
    )


@compiled
def follow_reference(
    parameters: NDArray[np.float64], state: NDArray[np.float64], j: int, target: float, target_speed: float, dt: float
) -> tuple[float, float]:
    """Angle (rad) and speed (rad/s) to steer to now: the target, or what the limits allow on the way to it."""
    acceleration = parameters[j, MAX_ACCELERATION]
    if parameters[j, MAX_SPEED] == math.inf and acceleration == math.inf:
        state[j, REFERENCE], state[j, REFERENCE_SPEED] = target, target_speed
        return target, target_speed
    # The fastest speed from which the rest of the way is enough to brake, reached as fast as the limits allow.
    way = target - state[j, REFERENCE]
    braking = abs(way) / dt
    if acceleration < math.inf:
        braking = acceleration * (math.sqrt(dt * dt + 2 * abs(way) / acceleration) - dt)  # this step's way counted in
    wanted = math.copysign(min(parameters[j, MAX_SPEED], braking), way)
    change = min(max(wanted - state[j, REFERENCE_SPEED], -acceleration * dt), acceleration * dt)
    state[j, REFERENCE_SPEED] += change
    state[j, REFERENCE] += dt * state[j, REFERENCE_SPEED]
    return state[j, REFERENCE], state[j, REFERENCE_SPEED]


@compiled
def servo_torque(
    parameters: NDArray[np.float64],
    state: NDArray[np.float64],
    j: int,
    angle: float,
    speed: float,
    target: float,
    target_speed: float,
    dt: float,
) -> tuple[float, float, float, float]:
    """Torque of a servo on its joint, and how it falls with angle and speed.

    Args:
        parameters: Of all servos, a row of servo_vector each.
        state: Of all servos, a row each; that of this one is changed in place.
        j: Which servo.
        angle: Of the joint, rad.
        speed: Of the joint, rad/s.
        target: Commanded angle, rad.
        target_speed: Commanded speed, rad/s.
        dt: Since the last call, s.

    Returns:
        Torque (N m), and of it: stiffness of the servo (N m/rad), damping of the servo (N m s/rad) and of its friction,
        which is much greater near standstill (N m s/rad).
    """
    reference, reference_speed = follow_reference(parameters, state, j, target, target_speed, dt)
    resolution = parameters[j, RESOLUTION]
    seen = angle if resolution == 0.0 else resolution * np.round(angle / resolution)
    error = reference - seen
    if parameters[j, LAW] == PD:
        torque = parameters[j, STIFFNESS] * error + parameters[j, SERVO_DAMPING] * (reference_speed - speed)
        # A staircase has no slope to linearise.
        stiffness = parameters[j, STIFFNESS] if resolution == 0.0 else 0.0
        damping = parameters[j, SERVO_DAMPING]
        drive = math.copysign(1.0, torque)
    else:
        drive = _drive_share(parameters, state, j, error, speed, dt)
        stall, no_load = parameters[j, STALL], parameters[j, NO_LOAD]
        torque = stall * (drive - speed / no_load)
        stiffness, damping = 0.0, stall / no_load
    if parameters[j, BACKLASH] > 0.0 and not _gap_is_closed(parameters, state, j, drive, torque, speed, dt):
        torque, stiffness, damping = 0.0, 0.0, 0.0
    if abs(torque) > parameters[j, LIMIT]:
        torque, stiffness, damping = math.copysign(parameters[j, LIMIT], torque), 0.0, 0.0
    friction = parameters[j, VISCOUS] + parameters[j, COULOMB] / max(abs(speed), STICTION_SPEED)
    return torque - friction * speed, stiffness, damping, friction


@compiled
def _drive_share(
    parameters: NDArray[np.float64], state: NDArray[np.float64], j: int, error: float, speed: float, dt: float
) -> float:
    """Share of the supply voltage, -1 to 1, that a Dynamixel puts on its motor."""
    if parameters[j, LAW] == DYNAMIXEL_RX:
        beyond = abs(error) - parameters[j, MARGIN]
        if beyond <= 0.0:
            return 0.0
        share = parameters[j, PUNCH] + (1.0 - parameters[j, PUNCH]) * beyond / parameters[j, SLOPE]
        return math.copysign(min(share, 1.0), error)
    share = parameters[j, GAIN_P] * error + state[j, INTEGRAL] - parameters[j, GAIN_D] * speed
    if abs(share) < 1.0:  # the integral does not wind up while the drive is full
        state[j, INTEGRAL] += parameters[j, GAIN_I] * error * dt
    return float(min(max(share, -1.0), 1.0))


@compiled
def _gap_is_closed(
    parameters: NDArray[np.float64],
    state: NDArray[np.float64],
    j: int,
    drive: float,
    torque: float,
    speed: float,
    dt: float,
) -> bool:
    """Whether the gear touches the side on which the torque pushes; the motor crosses the gap at its own speed."""
    half = parameters[j, BACKLASH] / 2
    state[j, GAP] = min(max(state[j, GAP] + dt * (drive * parameters[j, NO_LOAD] - speed), -half), half)
    return bool(state[j, GAP] == math.copysign(half, torque))
