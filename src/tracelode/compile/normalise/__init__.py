"""How do recorded sessions become runs? Values, calls, and what was declared beforehand."""
