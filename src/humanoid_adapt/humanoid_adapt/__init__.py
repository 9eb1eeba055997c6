"""How the model follows the robot: fall tests, tipping and estimators."""
