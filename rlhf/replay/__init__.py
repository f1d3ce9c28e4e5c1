"""Setter replay: recorded setters act again while an agent acts freely, in slots of a runner."""
