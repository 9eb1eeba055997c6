"""How the robots walk: leg kinematics, primitives, splines, balance and motions."""
