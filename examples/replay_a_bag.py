"""Sends the joints of a simulated robot where those of a recorded one were, and tells how well it follows.

./humanoid bag record walk --namespace /fibo_km --seconds 10
./humanoid python examples/replay_a_bag.py fibo_km walk
"""

import sys
from pathlib import Path

import numpy as np

from humanoid_adapt.bag import read_bag
from humanoid_description import load_robot
from humanoid_sim.simulation import Simulation

robot = load_robot(sys.argv[1])
states = [message for message in read_bag(Path(sys.argv[2])) if message.topic.endswith("/joint_states")]
simulation, errors = Simulation(robot), []
for message in states:
    state = message.decode()
    angles = dict(zip(state.name, state.position, strict=True))
    recorded = np.array([angles.get(name, 0.0) for name in robot.joint_names])
    if not errors:
        simulation.place(robot.name, recorded)
    simulation.command(robot.name, recorded)
    simulation.step(max(0, round((1e-9 * (message.time_ns - states[0].time_ns) - simulation.time) / simulation.dt)))
    errors.append(simulation.observe(robot.name).joint_position - recorded)
for name, error in zip(robot.joint_names, np.sqrt(np.mean(np.square(errors), axis=0)), strict=True):
    print(f"{name:<22}{np.degrees(error):6.2f} degrees")
print(f"{len(errors)} joint states, {simulation.time:.2f} s; fallen: {simulation.fallen(robot.name)}")
