"""The table of a play session: complete, never stuck, never two in control."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.session.states import (
    CAST,
    JUDGED_BY_SETTER,
    OF_PLAYERS,
    OVER,
    Kind,
    Player,
    PlaySession,
    Refusal,
    Role,
    State,
    TimeLimits,
    TransitionRefused,
)
from annotation.session.states import SessionEvent as Does
from annotation.session.transitions import GAME_RULES, PLAYER_RULES, allowed, transition

SETTER, SOLVER, CO_PILOT = Role.SETTER, Role.SOLVER, Role.CO_PILOT

DOINGS = [(event, role) for event in Does for role in (Role if event in OF_PLAYERS else [None])]


def run(kind: Kind, *doings: tuple[Does, Role | None]) -> PlaySession:
    session = PlaySession(kind)
    for event, role in doings:
        session = transition(session, event, role)
    return session


def playing(kind: Kind) -> PlaySession:
    return run(kind, *((Does.JOIN, r) for r in CAST[kind]), *((Does.READY, r) for r in CAST[kind]))


def refused(session: PlaySession, event: Does, role: Role | None = None) -> Refusal:
    with pytest.raises(TransitionRefused) as caught:
        transition(session, event, role)
    return caught.value.reason


def reachable(kind: Kind) -> set[PlaySession]:
    """Every session of ``kind`` that any events lead to."""
    found, new = {PlaySession(kind)}, [PlaySession(kind)]
    while new:
        session = new.pop()
        for event, role in DOINGS:
            try:
                then = transition(session, event, role)
            except TransitionRefused:
                continue
            if then not in found:
                found.add(then)
                new.append(then)
    return found


def test_every_state_and_event_has_a_rule():
    assert set(PLAYER_RULES) == set(product(State, OF_PLAYERS))
    assert set(GAME_RULES) == set(product(State, set(Does) - set(OF_PLAYERS)))
    assert all(isinstance(rule, Refusal) or callable(rule) for rule in (*PLAYER_RULES.values(), *GAME_RULES.values()))


@pytest.mark.parametrize("kind", Kind)
def test_every_reachable_session_is_sound(kind):
    sessions = reachable(kind)
    assert {s.state for s in sessions} == set(State) - ({State.JUDGING} if kind not in JUDGED_BY_SETTER else set())
    for session in sessions:
        assert session.lost <= session.here <= set(session.cast)
        assert session.ready <= session.here
        assert session.in_control in session.cast, "exactly one moves the solver, and that one exists"
        assert not session.taken_over or session.state in (State.PLAYING, State.PAUSED)
        assert not session.taken_over or session.kind is Kind.HUMAN_AGENT_HUMAN
        assert (session.state is State.PAUSED) <= bool(session.lost)
        assert (session.state is State.PLAYING) <= (session.here == session.ready == set(session.cast))
        assert (session.state is State.PLAYING) <= (not session.lost)
        assert bool(session.why) == (session.over or session.state in (State.JUDGING, State.SAVING))


@pytest.mark.parametrize("kind", Kind)
def test_a_session_ends_even_if_nobody_does_anything(kind):
    """The game's own events alone end it from everywhere."""
    for session in reachable(kind):
        for event in (Does.TIMEOUT, Does.FINISH, Does.TIMEOUT, Does.SAVED):
            try:
                session = transition(session, event)
            except TransitionRefused:
                continue
        assert session.state in OVER


@given(kind=st.sampled_from(Kind), doings=st.lists(st.sampled_from(DOINGS), max_size=60))
def test_any_events_in_any_order(kind, doings):
    """Over is over; a refusal changes nothing and has a reason; a lost one can always come back or leave."""
    session = PlaySession(kind)
    for event, role in doings:
        was_over = session.over
        try:
            then = transition(session, event, role)
        except TransitionRefused as refusal:
            assert refusal.reason in Refusal
            assert role is None or event not in allowed(session, role)
            continue
        assert role is None or event in allowed(session, role)
        assert not was_over or then.state is session.state
        session = then
        for lost in session.lost:
            assert {Does.BACK, Does.LEAVE} <= allowed(session, lost)


def test_it_waits_for_all_and_begins_when_all_are_ready():
    session = run(Kind.HUMAN_HUMAN, (Does.JOIN, SETTER))
    assert session.state is State.WAITING
    assert refused(session, Does.JOIN, SETTER) is Refusal.TAKEN
    assert refused(session, Does.READY, SOLVER) is Refusal.NOT_HERE
    assert refused(session, Does.JOIN, CO_PILOT) is Refusal.NO_SUCH_ROLE
    session = transition(transition(session, Does.READY, SETTER), Does.JOIN, SOLVER)
    assert session.state is State.READY
    assert refused(session, Does.END, SETTER) is Refusal.NOT_YET
    assert transition(session, Does.READY, SOLVER).state is State.PLAYING


def test_a_game_does_not_begin_while_a_player_is_lost():
    doings = ((Does.JOIN, SETTER), (Does.JOIN, SOLVER), (Does.READY, SOLVER), (Does.LOST, SOLVER), (Does.READY, SETTER))
    session = run(Kind.HUMAN_HUMAN, *doings)
    assert session.state is State.READY
    assert transition(session, Does.BACK, SOLVER).state is State.PLAYING


def test_a_place_left_before_the_beginning_is_free_again_and_people_say_ready_anew():
    session = run(Kind.HUMAN_AGENT_HUMAN, *((Does.JOIN, r) for r in Role), (Does.READY, SOLVER))
    session = transition(transition(session, Does.READY, SETTER), Does.LEAVE, CO_PILOT)
    assert session.state is State.WAITING
    assert session.ready == {SOLVER}, "the agent is ready whatever person comes"
    assert transition(session, Does.JOIN, CO_PILOT).state is State.READY


def test_a_lost_connection_pauses_the_game_until_all_are_back():
    session = transition(playing(Kind.HUMAN_HUMAN), Does.LOST, SOLVER)
    assert session.state is State.PAUSED
    session = transition(session, Does.LOST, SETTER)
    assert refused(session, Does.TAKE_OVER, SETTER) is Refusal.NOT_YOURS
    session = transition(session, Does.BACK, SOLVER)
    assert session.state is State.PAUSED
    assert transition(session, Does.BACK, SETTER).state is State.PLAYING
    assert transition(session, Does.TIMEOUT).why == "lost setter"
    assert transition(session, Does.FINISH).why == "complete"


def test_only_the_co_pilot_takes_over_and_hands_back():
    session = playing(Kind.HUMAN_AGENT_HUMAN)
    assert session.in_control is SOLVER
    assert refused(session, Does.TAKE_OVER, SETTER) is Refusal.NOT_YOURS
    assert refused(session, Does.HAND_BACK, CO_PILOT) is Refusal.NOT_IN_CONTROL
    session = transition(session, Does.TAKE_OVER, CO_PILOT)
    assert session.in_control is CO_PILOT
    assert refused(session, Does.TAKE_OVER, CO_PILOT) is Refusal.IN_CONTROL
    paused = transition(session, Does.LOST, CO_PILOT)
    assert refused(paused, Does.HAND_BACK, CO_PILOT) is Refusal.STANDS_STILL
    assert transition(paused, Does.BACK, CO_PILOT).in_control is CO_PILOT, "as it was"
    assert transition(session, Does.HAND_BACK, CO_PILOT).in_control is SOLVER


@pytest.mark.parametrize("kind", Kind)
def test_the_players_who_may_end_an_episode(kind):
    session = playing(kind)
    assert refused(session, Does.FINISH, SETTER) is Refusal.NOT_YOURS
    assert refused(session, Does.END) is Refusal.NOT_YOURS, "the game does not end it like a person"
    persons = {role for role, player in CAST[kind].items() if player is Player.PERSON}
    may = {role for role in persons if Does.END in allowed(session, role)}
    assert may == ({SETTER} if SETTER in persons else {SOLVER})
    left = transition(session, Does.LEAVE, next(iter(persons)))
    assert left.state is State.SAVING and left.why.endswith("left")
    assert transition(left, Does.SAVED).state is State.ENDED
    assert transition(left, Does.EMPTY).state is State.ABANDONED


def test_an_evaluation_is_judged_before_it_is_saved():
    session = playing(Kind.EVALUATION)
    assert transition(session, Does.LEAVE, SETTER).state is State.SAVING
    assert transition(session, Does.STOP).state is State.SAVING, "a server that stops waits for nobody"
    lost = transition(session, Does.LOST, SETTER)
    assert transition(lost, Does.TIMEOUT).state is State.SAVING, "nobody is there to judge"
    for over in (
        transition(session, Does.FINISH), transition(session, Does.END, SETTER), transition(session, Does.FAIL),
    ):  # fmt: skip
        assert over.state is State.JUDGING and over.why
        assert refused(over, Does.JUDGED, SETTER) is Refusal.NOT_YOURS, "the game counts what is left"
        for event, role in ((Does.JUDGED, None), (Does.TIMEOUT, None), (Does.STOP, None), (Does.LEAVE, SETTER)):
            then = transition(over, event, role)
            assert then.state is State.SAVING and then.why == over.why
        away = transition(over, Does.LOST, SETTER)
        assert transition(away, Does.BACK, SETTER) == over


def test_states_without_a_limit_end_by_themselves():
    limits = TimeLimits(waiting=1.0, ready=2.0, paused=3.0, judging=4.0)
    timed = {state for state in State if limits.of(state) is not None}
    assert timed == {State.WAITING, State.READY, State.PAUSED, State.JUDGING}
    for state in State:
        assert isinstance(GAME_RULES[state, Does.TIMEOUT], Refusal) != (state in timed)
