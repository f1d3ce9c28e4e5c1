"""Prompts that the paper gave to human setters (A.8), verbatim: one says what to ask for, a modifier adds how."""

from __future__ import annotations

ACTIVITY = "Ask the other player to perform an activity of your choice."
INSTRUCTIONS = (
    "Ask the other player to touch an object using another object.",
    ACTIVITY,
    "Ask the other player to hand you something, which you then hold.",
    "Ask the other player to stand in some position relative to you.",
    "Ask the other player to move a group of objects into a simple arrangement.",
    "Ask the other player to put something on top of something else.",
    "Ask the other player to put something underneath something else.",
    "Ask the other player to lift something.",
    "Ask the other player to do something, then when they are finished, ask them to do something else.",
    "Ask the other player to reposition something in the room.",
    "Ask the other player to bring you one or more objects.",
    "Ask the other player to push an object around using another object.",
    "Ask the other player to position something relative to something else.",
    "Ask the other player to put three or more specific objects in a row.",
    "Ask the other player to go somewhere.",
)
QUESTIONS = (
    "Ask the other player a yes/no question about something in the room.",
    "Ask the other player to describe where something is.",
    "Ask the other player to count something.",
    "Ask the other player to say what they are looking at or noticing right now.",
    "Ask a question about the color of something.",
    "Ask the other player whether two things have the same or different colors.",
    "Ask the other player a yes/no question about numbers of objects in the room.",
    "Ask the other player whether a particular thing exists in the room.",
    "Ask the other player any question about the room.",
    "Ask the other player whether one object is larger, smaller, or the same size as another object.",
)
