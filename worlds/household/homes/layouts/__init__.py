"""The seven apartments: rooms, doors and furniture, a module each."""
