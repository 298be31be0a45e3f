"""Which sessions does the bundled demo hold? Scenarios in plain Python, one module per project."""
