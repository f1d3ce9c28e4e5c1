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
    SessionEvent,
    State,
    TimeLimits,
    TransitionRefused,
)
from annotation.session.transitions import GAME_RULES, PLAYER_RULES, allowed, transition

DOINGS = [(event, role) for event in SessionEvent for role in (Role if event in OF_PLAYERS else [None])]


def run(kind: Kind, *doings: tuple[SessionEvent, Role | None]) -> PlaySession:
    session = PlaySession(kind)
    for event, role in doings:
        session = transition(session, event, role)
    return session


def playing(kind: Kind) -> PlaySession:
    return run(kind, *((SessionEvent.JOIN, r) for r in CAST[kind]), *((SessionEvent.READY, r) for r in CAST[kind]))


def refused(session: PlaySession, event: SessionEvent, role: Role | None = None) -> Refusal:
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
    assert set(GAME_RULES) == set(product(State, set(SessionEvent) - set(OF_PLAYERS)))
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
        for event in (SessionEvent.TIMEOUT, SessionEvent.FINISH, SessionEvent.TIMEOUT, SessionEvent.SAVED):
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
            assert {SessionEvent.BACK, SessionEvent.LEAVE} <= allowed(session, lost)


def test_it_waits_for_all_and_begins_when_all_are_ready():
    session = run(Kind.HUMAN_HUMAN, (SessionEvent.JOIN, Role.SETTER))
    assert session.state is State.WAITING
    assert refused(session, SessionEvent.JOIN, Role.SETTER) is Refusal.TAKEN
    assert refused(session, SessionEvent.READY, Role.SOLVER) is Refusal.NOT_HERE
    assert refused(session, SessionEvent.JOIN, Role.CO_PILOT) is Refusal.NO_SUCH_ROLE
    session = transition(transition(session, SessionEvent.READY, Role.SETTER), SessionEvent.JOIN, Role.SOLVER)
    assert session.state is State.READY
    assert refused(session, SessionEvent.END, Role.SETTER) is Refusal.NOT_YET
    assert transition(session, SessionEvent.READY, Role.SOLVER).state is State.PLAYING


def test_a_game_does_not_begin_while_a_player_is_lost():
    session = run(
        Kind.HUMAN_HUMAN,
        (SessionEvent.JOIN, Role.SETTER),
        (SessionEvent.JOIN, Role.SOLVER),
        (SessionEvent.READY, Role.SOLVER),
    )
    session = transition(transition(session, SessionEvent.LOST, Role.SOLVER), SessionEvent.READY, Role.SETTER)
    assert session.state is State.READY
    assert transition(session, SessionEvent.BACK, Role.SOLVER).state is State.PLAYING


def test_a_place_left_before_the_beginning_is_free_again_and_people_say_ready_anew():
    session = run(Kind.HUMAN_AGENT_HUMAN, *((SessionEvent.JOIN, r) for r in Role), (SessionEvent.READY, Role.SOLVER))
    session = transition(transition(session, SessionEvent.READY, Role.SETTER), SessionEvent.LEAVE, Role.CO_PILOT)
    assert session.state is State.WAITING
    assert session.ready == {Role.SOLVER}, "the agent is ready whatever person comes"
    assert transition(session, SessionEvent.JOIN, Role.CO_PILOT).state is State.READY


def test_a_lost_connection_pauses_the_game_until_all_are_back():
    session = transition(playing(Kind.HUMAN_HUMAN), SessionEvent.LOST, Role.SOLVER)
    assert session.state is State.PAUSED
    session = transition(session, SessionEvent.LOST, Role.SETTER)
    assert refused(session, SessionEvent.TAKE_OVER, Role.SETTER) is Refusal.NOT_YOURS
    session = transition(session, SessionEvent.BACK, Role.SOLVER)
    assert session.state is State.PAUSED
    assert transition(session, SessionEvent.BACK, Role.SETTER).state is State.PLAYING
    assert transition(session, SessionEvent.TIMEOUT).why == "lost setter"
    assert transition(session, SessionEvent.FINISH).why == "complete"


def test_only_the_co_pilot_takes_over_and_hands_back():
    session = playing(Kind.HUMAN_AGENT_HUMAN)
    assert session.in_control is Role.SOLVER
    assert refused(session, SessionEvent.TAKE_OVER, Role.SETTER) is Refusal.NOT_YOURS
    assert refused(session, SessionEvent.HAND_BACK, Role.CO_PILOT) is Refusal.NOT_IN_CONTROL
    session = transition(session, SessionEvent.TAKE_OVER, Role.CO_PILOT)
    assert session.in_control is Role.CO_PILOT
    assert refused(session, SessionEvent.TAKE_OVER, Role.CO_PILOT) is Refusal.IN_CONTROL
    paused = transition(session, SessionEvent.LOST, Role.CO_PILOT)
    assert refused(paused, SessionEvent.HAND_BACK, Role.CO_PILOT) is Refusal.STANDS_STILL
    assert transition(paused, SessionEvent.BACK, Role.CO_PILOT).in_control is Role.CO_PILOT, "as it was"
    assert transition(session, SessionEvent.HAND_BACK, Role.CO_PILOT).in_control is Role.SOLVER


@pytest.mark.parametrize("kind", Kind)
def test_the_players_who_may_end_an_episode(kind):
    session = playing(kind)
    assert refused(session, SessionEvent.FINISH, Role.SETTER) is Refusal.NOT_YOURS
    assert refused(session, SessionEvent.END) is Refusal.NOT_YOURS, "the game does not end it like a person"
    persons = {role for role, player in CAST[kind].items() if player is Player.PERSON}
    may = {role for role in persons if SessionEvent.END in allowed(session, role)}
    assert may == ({Role.SETTER} if Role.SETTER in persons else {Role.SOLVER})
    left = transition(session, SessionEvent.LEAVE, next(iter(persons)))
    assert left.state is State.SAVING and left.why.endswith("left")
    assert transition(left, SessionEvent.SAVED).state is State.ENDED
    assert transition(left, SessionEvent.EMPTY).state is State.ABANDONED


def test_an_evaluation_is_judged_before_it_is_saved():
    session = playing(Kind.EVALUATION)
    assert transition(session, SessionEvent.LEAVE, Role.SETTER).state is State.SAVING
    assert transition(session, SessionEvent.STOP).state is State.SAVING, "a server that stops waits for nobody"
    lost = transition(session, SessionEvent.LOST, Role.SETTER)
    assert transition(lost, SessionEvent.TIMEOUT).state is State.SAVING, "nobody is there to judge"
    for over in (
        transition(session, SessionEvent.FINISH),
        transition(session, SessionEvent.END, Role.SETTER),
        transition(session, SessionEvent.FAIL),
    ):
        assert over.state is State.JUDGING and over.why
        assert refused(over, SessionEvent.JUDGED, Role.SETTER) is Refusal.NOT_YOURS, "the game counts what is left"
        for event, role in (
            (SessionEvent.JUDGED, None),
            (SessionEvent.TIMEOUT, None),
            (SessionEvent.STOP, None),
            (SessionEvent.LEAVE, Role.SETTER),
        ):
            then = transition(over, event, role)
            assert then.state is State.SAVING and then.why == over.why
        away = transition(over, SessionEvent.LOST, Role.SETTER)
        assert transition(away, SessionEvent.BACK, Role.SETTER) == over


def test_states_without_a_limit_end_by_themselves():
    limits = TimeLimits(waiting=1.0, ready=2.0, paused=3.0, judging=4.0)
    timed = {state for state in State if limits.of(state) is not None}
    assert timed == {State.WAITING, State.READY, State.PAUSED, State.JUDGING}
    for state in State:
        assert isinstance(GAME_RULES[state, SessionEvent.TIMEOUT], Refusal) != (state in timed)
