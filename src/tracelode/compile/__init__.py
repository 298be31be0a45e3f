"""From repeated runs to workflows that prove every edge, or refuse: passes over one state."""
