"""State of a home: things, rooms and persons in arrays, a row each."""
