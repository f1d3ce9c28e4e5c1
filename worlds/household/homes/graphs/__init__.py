"""Graphs of VirtualHome, in their JSON form, as homes."""
