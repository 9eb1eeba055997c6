"""How the robots move: contact law, servo models, engine, world and sensors."""
