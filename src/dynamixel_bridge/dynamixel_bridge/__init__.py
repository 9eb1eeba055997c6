"""The real robot: Dynamixel framing, control tables, bus cycle and safety."""
