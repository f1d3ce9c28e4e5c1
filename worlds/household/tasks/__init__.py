"""Tasks of a household: goals, the places in which they can be reached, and the words that ask for them."""
