"""Games of fixed templates: the six probes that agents are measured by, and the tower. One file has all of each."""
