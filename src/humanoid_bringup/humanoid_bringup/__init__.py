"""What a person touches: the command line, launch files and configuration."""
