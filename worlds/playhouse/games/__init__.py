"""Language games: what people are prompted to ask for (paper, A.8), posed in a house, checked, done by a script."""
