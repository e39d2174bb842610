"""Collections that are generated on the machine, for demos and tests."""
