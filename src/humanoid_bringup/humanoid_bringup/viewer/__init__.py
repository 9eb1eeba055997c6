"""The page in the browser: what is known of robots, how it is drawn, what a person can wish for. No ROS here."""
