"""Phrases of requests, as templates.

A request is one clause for each activity. Slots of a clause:

- ``{things}``: what is to be placed, e.g. "two plates and a fork".
- ``{there}``: where, with its preposition, e.g. "on the kitchen table".
- ``{place}``: the same without, e.g. "the fridge".
- ``{held}``: what is to be held or read, e.g. "a book".
- ``{seat}``: where to sit, e.g. "the sofa".

:mod:`worlds.household.tasks.language.understanding` reads them all back. It knows VERBS_OF_HOLDING, VERBS_OF_SITTING
and FILLED; further ones belong there, too.
"""

from __future__ import annotations

from collections.abc import Mapping

# A whole request, around clauses that are commands.
FRAMES = (
    "{clauses}",
    "please {clauses}",
    "{clauses}, please",
    "could you {clauses}?",
    "can you {clauses}, please?",
    "would you please {clauses}?",
    "would you mind helping me? {clauses}",
    "I would like you to {clauses}",
    "I need you to {clauses}",
    "I want you to {clauses}",
    "it would be nice if you could {clauses}",
    "let us {clauses}",
    "your task is to {clauses}",
    "help me to {clauses}",
)
# Between two clauses. No other words of requests separate clauses.
SEPARATORS = ("; ", ", then ", " and then ", "; then ", ", and also ", "; also ")

COMMANDS = (
    "put {things} {there}",
    "place {things} {there}",
    "get {things} and put everything {there}",
    "find {things} and leave everything {there}",
    "look for {things} and bring everything together {there}",
    "take {things} and put everything {there}",
    "move {things} until everything is {there}",
    "make sure that {things} can be found {there}",
)
# Whole requests that are no commands.
STATEMENTS = (
    "I want {things} {there}",
    "I would like {things} {there}",
    "I would like to see {things} {there}",
    "I need {things} {there}",
    "{things} {there}, please",
    "{there} I want {things}",
    "{there} I need {things}, please",
    "there should be {things} {there}",
    "at the end there should be {things} {there}",
    "what I want: {things} {there}",
)

COMMANDS_OF: Mapping[str, tuple[str, ...]] = {
    "setup_table": (
        "set the table with {things}",
        "lay the table with {things}",
        "set the table for dinner with {things}",
        "get everything ready for dinner: {things} {there}",
        "prepare dinner: put {things} {there}",
        "arrange {things} {there} for dinner",
        "lay out {things} {there}",
    ),
    "put_dishwasher": (
        "load {place} with {things}",
        "fill {place} with {things}",
        "wash {things} {there}",
        "clean {things}: put everything {there}",
        "do the dishes: put {things} {there}",
        "get {things} washed {there}",
        "clear away {things}: everything belongs {there}",
    ),
    "put_fridge": (
        "stock {place} with {things}",
        "fill {place} with {things}",
        "store {things} {there}",
        "keep {things} cold {there}",
        "cool {things} {there}",
        "put away the groceries: {things} {there}",
        "put the leftovers away: {things} {there}",
    ),
    "prepare_food": (
        "serve {things} {there}",
        "prepare a meal: put {things} {there}",
        "make a simple meal with {things} {there}",
        "get lunch ready: {things} {there}",
        "prepare something to eat: {things} {there}",
        "set out {things} {there} for a meal",
        "bring some food: {things} {there}",
    ),
}
STATEMENTS_OF: Mapping[str, tuple[str, ...]] = {
    "setup_table": ("for dinner we need {things} {there}", "guests are coming: we need {things} {there}"),
    "put_dishwasher": ("{things} should be washed {there}", "{things} belong {there}"),
    "put_fridge": ("{things} should be kept {there}", "{things} should stay cold {there}"),
    "prepare_food": ("for lunch I want {things} {there}", "I am hungry: I want {things} {there}"),
}

# The solver reads; with and without a snack.
READING = (
    "sit on {seat} and read {held}",
    "read {held} on {seat}",
    "sit down on {seat} holding {held}",
    "hold {held} and sit on {seat}",
    "settle on {seat} reading {held}",
    "rest on {seat} reading {held}",
)
READING_WITH = (
    "put {things} {there}, sit on {seat} and read {held}",
    "place {things} {there} and read {held} on {seat}",
    "read {held} on {seat} with {things} {there}",
    "sit on {seat} and read {held} with {things} {there}",
    "sit on {seat} holding {held} with {things} {there}",
    "get {things}, put everything {there}, then sit on {seat} and read {held}",
    "bring {things}, leave everything {there} and sit down on {seat} reading {held}",
    "put {things} {there}, then hold {held} and sit on {seat}",
)
# The setter reads, and the solver helps.
OWN_READING = (
    "I want to read {held} on {seat}",
    "I would like to sit on {seat} and read {held}",
    "I feel like reading {held} on {seat}",
    "I am going to sit on {seat} and read {held}",
)
OWN_READING_WITH = (
    "I want to read {held} on {seat} with {things} {there}",
    "I would like to read {held} on {seat} with {things} {there}",
    "I want to sit on {seat} and read {held}, with {things} {there}",
    "I am going to read {held} on {seat}: I want {things} {there}",
    "I feel like reading {held} on {seat} with {things} {there}",
    "let me read {held} on {seat} with {things} {there}",
    "while I sit on {seat} reading {held} I would like {things} {there}",
    "{things} {there}, please: I want to sit on {seat} and read {held}",
    "I need {things} {there}, as I want to read {held} on {seat}",
)
HOLDING = ("hold {held}", "be holding {held}")
SITTING = ("sit on {seat}", "sit down on {seat}")

VERBS_OF_HOLDING = ("read", "reading", "hold", "holding")
VERBS_OF_SITTING = ("sit", "sit down", "settle", "rest")
FILLED = ("load", "fill", "stock")  # what is before "the dishwasher with ..."
SET_TABLE = ("set the table", "lay the table")  # before "with ..." or "for dinner with ..."
