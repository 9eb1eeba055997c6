"""What is wrong, and what to do: the machine, ROS, its graph and the servo ports, each in a module of its own."""
