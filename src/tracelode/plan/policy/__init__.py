"""Where should people be asked, and what should be changed in how agents plan? Proposed, never applied."""
