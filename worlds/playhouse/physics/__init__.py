"""Physics: the MuJoCo model of a house, and the avatars that move and handle things in it."""
