"""What do sets of planned work say against each other? Study designs, arms, and sets before and after."""
