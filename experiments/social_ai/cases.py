"""The case studies of the paper (SocialAI school, Section 5): what learns where, and what it is tested on.

The paper trains each agent for 0.5 to 100 million frames, in rooms of 9 or 10 cells a side. ``--parts NAME`` is a
case's size for two cores, its :class:`Small`: fewer frames and problems, and rooms of 7 x 7 cells, which an agent
sees nearly whole, so that it comes to an object by chance, and to its first reward, several times as often. Where the
meaning of a cue is to be learned, the caretaker needs no introduction, objects have two colours instead of three, and
an episode stops as soon as the apple is lost: a choice at random teaches one bit, and then takes a part of the
frames. ``--parts NAME/full`` is the paper's size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from worlds.school.parameters.ids import CUE_OF

TWO_LEARNERS = "TwoLearners"  # id of a game in which one agent learns on both sides
WIDER = {"width": 48, "heads": 4}  # sizes of agents that learn what cues mean
_PROBLEMS = ("Boxes", "Switches", "Generators", "Levers", "Doors", "Marble")


@dataclass(frozen=True)
class Arm:
    """An agent that learns in one environment.

    Args:
      id: of the environment of training; TWO_LEARNERS is :class:`worlds.school.environments.two_learners.TwoLearners`.
      allowed: values by parameter to which its tree is narrowed.
      settings: of the environment, e.g. ``hidden_npc``; curriculum and the like.
      begins_with: arm whose agent it begins with; "" begins from scratch.
      bonus: for exploration, a name of :func:`experiments.social_ai.exploration.bonuses.make_bonus`; "" for none.
      scale: of cb and cbl, C of their equation in the published settings (before it is divided by 40).
      beside: further environments, of which each is played in as many places; their bonus is this one's.
      times: for one place of each of those, this one is played in so many.
    """

    id: str
    allowed: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    begins_with: str = ""
    frames: float = 1.0
    bonus: str = ""
    scale: float = 2.0
    beside: tuple[Arm, ...] = ()
    times: int = 1

    def environments(self) -> list[Arm]:
        """Return an arm for each environment in which the agent learns."""
        return [self] * self.times + [replace(one, bonus=self.bonus, scale=self.scale) for one in self.beside]

    def narrowed(self, allowed: Mapping[str, Any], settings: Mapping[str, Any]) -> Arm:
        """Return the arm with fewer values of parameters, and other settings, in all its environments."""
        return replace(
            self,
            allowed={**self.allowed, **allowed},
            settings={**self.settings, **settings},
            beside=tuple(one.narrowed(allowed, settings) for one in self.beside),
        )


@dataclass(frozen=True)
class Small:
    """The size of a case for two cores.

    Args:
      problems: of training; () leaves the case's.
      arms: agents by name; none leaves the case's.
      tests: environments by name; none leaves the case's.
      later: frames of arms that begin with another's agent, a part of ``frames``; 0 leaves the case's.
      agent: sizes of the agent that differ from the usual ones.
      question: it answers; "" leaves the case's.
    """

    frames: int = 1_000_000
    settings: Mapping[str, Any] = field(default_factory=lambda: {"size": 7})
    problems: tuple[str, ...] = ()
    arms: Mapping[str, Arm] = field(default_factory=dict)
    tests: Mapping[str, Arm] = field(default_factory=dict)
    later: float = 0.0
    agent: Mapping[str, Any] = field(default_factory=dict)
    question: str = ""


@dataclass(frozen=True)
class Case:
    """A case.

    Args:
      arms: agents by name. Those that begin from scratch are compared with the first of them, those that begin with
        another's agent likewise.
      tests: environments by name, in which every arm is tested while it learns.
      agent: sizes of the agent that differ from the usual ones.
    """

    question: str
    arms: Mapping[str, Arm]
    tests: Mapping[str, Arm]
    frames: int
    claim: str
    small: Small = Small()
    agent: Mapping[str, Any] = field(default_factory=dict)

    def smaller(self) -> Case:
        """Return the case at its size for two cores."""
        small = self.small
        allowed = {"Problem": list(small.problems)} if small.problems else {}
        arms = {name: arm.narrowed(allowed, small.settings) for name, arm in (small.arms or self.arms).items()}
        if small.later:
            arms = {name: replace(arm, frames=small.later) if arm.begins_with else arm for name, arm in arms.items()}
        tests = {name: test.narrowed({}, small.settings) for name, test in (small.tests or self.tests).items()}
        question = small.question or self.question
        return replace(self, question=question, arms=arms, tests=tests, frames=small.frames, agent=small.agent)


def _id(name: str) -> str:
    return f"SocialAI-{name}ParamEnv-v1"


def _test(name: str) -> Arm:
    return Arm(_id(name))


def _social(cue: str, problem: str) -> Arm:
    """Two objects, of which a caretaker that needs no introduction gives a cue."""
    allowed = {"Pragmatic_frame_complexity": "No", "Scaffolding": "N", "Cue_type": CUE_OF[cue], "Problem": problem}
    return Arm("SocialAI-SocialAIParamEnv-v1", {"Env_type": "Information_seeking"} | allowed)


def _cue(cue: str, claim: str, frames: int, joint: str = "", bonus: str = "cbl", scale: float = 10.0) -> Case:
    """Trained on five problems with a peer, and on doors without one; tested on doors with a peer."""
    tests = {"held out: Doors": _test(f"{joint}E{cue}DoorsTestInformationSeeking")}
    tests |= {
        f"trained: {problem}": _test(f"{joint}E{cue}{problem}TestInformationSeeking") for problem in ("Boxes", "Marble")
    }
    question = f"does an agent that uses {cue} in five problems use it in a sixth?"
    arm = Arm(_id(f"{joint}E{cue}TrainInformationSeeking"), bonus=bonus, scale=scale)
    small = _small_joint(cue, arm, tests) if joint else _small_cue(cue)
    return Case(question, {"agent": arm}, tests, frames, claim, small=small)


def _small_cue(cue: str) -> Small:
    """Trained on boxes with a caretaker, and on doors without one; tested on doors with one.

    Doors are a quarter of the play: as a half, and known after 300,000 frames, they left colours at chance
    after 1.2 million.
    """
    alone = _test(f"E{cue}DoorsAsocialTestInformationSeeking")
    return Small(
        1_500_000,
        {"size": 7, "n_colors": 2, "stop_when_lost": True},
        arms={"agent": replace(_social(cue, "Boxes"), beside=(alone,), times=3)},
        tests={"held out: Doors": _social(cue, "Doors"), "trained: Boxes": _social(cue, "Boxes")},
        agent=WIDER,
        question=f"does an agent that uses {cue} with boxes use it with doors?",
    )


def _small_joint(cue: str, arm: Arm, tests: Mapping[str, Arm]) -> Small:
    """As for other cues, with a quarter of doors; an introduction is what joint attention is about, so it is left."""
    boxes, doors = (replace(arm, allowed={"Problem": problem}) for problem in ("Boxes", "Doors"))
    return Small(
        1_500_000,
        {"size": 7, "n_colors": 2, "stop_when_lost": True},
        arms={"agent": replace(boxes, beside=(doors,), times=3)},
        tests={name: tests[name] for name in ("held out: Doors", "trained: Boxes")},
        agent=WIDER,
        question=f"does an agent that uses {cue} in joint attention with boxes use it with doors?",
    )


def _small_formats() -> Small:
    """Boxes and asking alone: untrained agents ask in 0.03% of the steps, and hardly ever during eye contact."""
    asks = Arm(_id("ALangFeedbackTrainFormatsCS"))
    return replace(
        _small_scaffolding(),
        arms={"with a bonus": replace(asks, bonus="cbl", scale=10.0), "without": asks},
        tests={"Boxes": _test("ALangFeedbackBoxesTestFormatsCS")},
        question="is a pragmatic frame, a question, learned?",
    )


def _small_scaffolding() -> Small:
    """Boxes alone: one problem has to be learned before asking during eye contact can be."""
    return Small(
        800_000,
        {"size": 7, "n_colors": 2, "stop_when_lost": True},
        problems=("Boxes",),
        tests={"Boxes": _test("AELangFeedbackBoxesTestFormatsCS")},
        agent=WIDER,
    )


def _adversary(obstacles: str, frames: int) -> Case:
    """Trained beside a guard that takes the apple if it sees it eaten, with so many walls to hide behind."""
    beside = _id(f"AppleStealingObst_{obstacles}")
    arms = {
        "guard in sight": Arm(beside, bonus="cb"),
        "guard hidden": Arm(beside, {}, {"hidden_npc": True}, bonus="cb"),
        "no guard": Arm(_id(f"AsocialAppleStealingObst_{obstacles}"), bonus="cb"),
    }
    return Case(
        "does an agent infer what an adversary sees?",
        arms,
        {"beside a guard": Arm(beside)},
        frames,
        "an agent that sees the guard does better than one that does not",
        # After 1 million frames those that see the guard are still rising; those alone succeed always after 300,000.
        small=Small(2_000_000, arms={**arms, "no guard": replace(arms["no guard"], frames=0.5)}),
    )


def _role_reversal_group() -> Case:
    """Both roles of joint tasks, but for role A of one, which is learned afterwards."""
    practice = {
        "with partners": Arm(_id("RoleReversalGroupExperimentalCollaboration"), bonus="cb"),
        "alone": Arm(_id("RoleReversalGroupControlCollaboration"), bonus="cb"),
    }
    later = {
        f"A after {before.removeprefix('with ')}": Arm(
            _id("MarblePassACollaboration"), begins_with=before, frames=0.01, bonus="cb"
        )
        for before in practice
    }
    two = {"Problem": ["MarblePush", "MarblePass"]}
    return Case(
        "does practice in both roles of seven joint tasks, but for role A of this one, help in it?",
        {**practice, **later},
        {"role A": _test("MarblePassACollaboration")},
        50_000_000,
        "in the code alone, without a result",
        small=Small(
            1_500_000,
            arms={**{name: replace(arm, allowed=two) for name, arm in practice.items()}, **later},
            later=0.25,
            question="does practice in both roles of one joint task and in role B of another help in its role A?",
        ),
    )


CASES: Mapping[str, Case] = {
    "asocial-box": Case(
        "does an agent learn to open a box and eat the apple, with nobody there?",
        {"agent": Arm(_id("AsocialBoxInformationSeeking"))},
        {"the same": _test("AsocialBoxInformationSeeking")},
        2_000_000,
        "95% of success within 2 million frames (published code)",
        small=Small(500_000, {}),
    ),
    "pointing": _cue(
        "Pointing", "does not generalise to the held-out problem (Section 5.1)", 50_000_000, "", "cb", 0.25
    ),
    "feedback": _cue("LangFeedback", "71.4% in training; does not generalise to the held-out problem", 20_000_000),
    "colour": _cue("LangColor", "95.9% in training; does not generalise to the held-out problem", 20_000_000),
    "joint-attention": _cue("LangColor", "joint attention is not inferred", 20_000_000, "JA"),
    "imitation": Case(
        "does an agent that emulates in five problems emulate in a sixth?",
        {"agent": Arm(_id("EEmulationNoDistrInformationSeeking"), bonus="cb", scale=0.5)},
        {"held out: Doors": _test("EEmulationNoDistrDoorsInformationSeeking")},
        20_000_000,
        "does not generalise",
        small=Small(
            problems=("Boxes", "Switches"),
            question="does an agent that emulates with boxes and switches emulate with doors?",
        ),
    ),
    "role-reversal": Case(
        "does practice in one role of a joint task help in the other?",
        {
            "B, with a partner": Arm(_id("MarblePassBCollaboration"), bonus="cb"),
            "alone": Arm(_id("AsocialMarbleCollaboration"), bonus="cb"),
            "A after B": Arm(_id("MarblePassACollaboration"), begins_with="B, with a partner", frames=0.25, bonus="cb"),
            "A after alone": Arm(_id("MarblePassACollaboration"), begins_with="alone", frames=0.25, bonus="cb"),
        },
        {"role A": _test("MarblePassACollaboration")},
        4_000_000,
        "practice with a partner helps (Section 5.2)",
        small=Small(1_500_000),
    ),
    "role-reversal-group": _role_reversal_group(),
    "two-learners": Case(
        "does an agent that plays a joint task with itself also play it with a partner?",
        {
            "with a partner": Arm(
                _id("MarblePassACollaboration"), bonus="cb", beside=(Arm(_id("MarblePassBCollaboration")),)
            ),
            "two learners": Arm(TWO_LEARNERS, {"Problem": "MarblePass"}, bonus="cb", times=2),
        },
        {
            "role A, with a partner": _test("MarblePassACollaboration"),
            "role B, with a partner": _test("MarblePassBCollaboration"),
        },
        4_000_000,
        "not in the paper",
        small=Small(1_500_000),
    ),
    "formats": Case(
        "is a pragmatic frame (eye contact and a question) learned?",
        {
            "with a bonus": Arm(_id("AELangFeedbackTrainFormatsCS"), bonus="cbl", scale=10.0),
            "without": Arm(_id("AELangFeedbackTrainFormatsCS")),
        },
        {problem: _test(f"AELangFeedback{problem}TestFormatsCS") for problem in _PROBLEMS},
        50_000_000,
        "97.9% with an exploration bonus",
        small=_small_formats(),
    ),
    "scaffolding": Case(
        "does a curriculum that gives less and less help teach what training without one does not?",
        {
            "no curriculum": Arm(_id("AELangFeedbackTrainFormatsCS")),
            "introductions": Arm(
                _id("AELangFeedbackTrainScaffoldingCS"), {}, {"curriculum": {"kind": "intro_seq", "thresholds": [0.9]}}
            ),
            "introductions and help": Arm(
                _id("AELangFeedbackTrainScaffoldingCS"),
                {},
                {"curriculum": {"kind": "intro_seq_scaf", "thresholds": [0.9]}},
            ),
        },
        {problem: _test(f"AELangFeedback{problem}TestFormatsCS") for problem in _PROBLEMS},
        50_000_000,
        "both curricula help (Section 5.3)",
        small=_small_scaffolding(),
    ),
    "adversarial-peer": _adversary("No", 2_000_000),
    "adversarial-peer-stumps": _adversary("Medium", 5_000_000),
}
