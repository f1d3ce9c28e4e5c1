"""Arithmetic of control, compiled into :mod:`worlds.playhouse.physics.ticks`."""
