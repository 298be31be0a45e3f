"""How do people and agents plan? Checks on the record of plan events, and metrics of them."""
