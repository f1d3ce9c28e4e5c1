"""Games of instruction, each registered where it is written."""
