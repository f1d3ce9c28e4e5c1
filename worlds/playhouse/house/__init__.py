"""Houses: the record of one, the rules it keeps, the catalogue of what it can hold, and houses sampled from a seed."""
