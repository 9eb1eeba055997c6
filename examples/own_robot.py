"""Loads the robot in the folder tiny_robot beside this file, hangs a load on it, and lets it stand in the simulator.

./humanoid python examples/own_robot.py
"""

from pathlib import Path

from humanoid_description import load_robot
from humanoid_sim.simulation import Simulation

folder = Path(__file__).parent / "tiny_robot"
robot = load_robot(folder)
laden = load_robot(folder, payloads=["torso:0.05:0.02,0,0"])
for name, kind in (("empty", robot), ("laden", laden)):
    x, _, z = kind.com_in_base(kind.parameters.stand)
    print(f"{name}: {kind.mass:.2f} kg, centre of mass {1000 * x:.1f} mm ahead and {-1000 * z:.1f} mm below the base")

simulation = Simulation({"empty": robot, "laden": laden}, starts={"empty": (0, 0, 0), "laden": (0, 0.5, 0)})
simulation.step(2000)  # of 1 ms
for name in simulation.robots:
    height = simulation.observe(name).base_position[2]
    print(f"{name}: {'fell' if simulation.fallen(name) else 'stands'}, base {height:.3f} m above the ground")
