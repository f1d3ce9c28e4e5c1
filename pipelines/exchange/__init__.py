"""Datasets in the formats of other libraries: LeRobot's and others."""
