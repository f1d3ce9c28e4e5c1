"""A saved agent's card: valid for the Hub, true, without names of people, and its programs run."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
import yaml
from huggingface_hub import ModelCard as HubCard

from agents.agent import InteractiveAgent
from agents.card import CARD_FILE, ModelCard, PlayedBy, PlaySource, card_text
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from reward_models.inter_temporal import InterTemporalRewardModel
from tests.unit.agents import made_up_play

SIZES = dict(image_size=(12, 12), vision_channels=(4,), vision_strides=(4,), vision_blocks=(1,), width=8, heads=2)
SCRIPTED = PlaySource("data/play", "imitated", 200, 225_000, PlayedBy(150, {"agent:clone": 50}), PlayedBy(200))
PEOPLES = PlaySource("data/lab", "its marks learned", 12, 900, PlayedBy(12), PlayedBy(12), PlayedBy(3, {}, 40, 2))
CARD = ModelCard(
    title="Agent `second`",
    what="Trained somehow.",
    learned_from=(SCRIPTED,),
    started_from=("It began as the agent in `runs/clone/agent`.",),
    command="rlhf clone --name 'a name'",
    version="1.2.3, commit abc",
    configuration={"text": "```\nends the block?", "updates": 7},
    metrics={"bc/loss": 12.345678, "odd": math.nan},
)


def agent() -> InteractiveAgent:
    return made_up_play.agent(**SIZES, memory_width=8, tick_width=6, value_width=8)


def programs(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("card", [ModelCard(), CARD], ids=["bare", "full"])
@pytest.mark.parametrize("kind", [InteractiveAgent, InterTemporalRewardModel], ids=["agent", "reward model"])
def test_the_hub_reads_it(card: ModelCard, kind: type[InteractiveAgent]) -> None:
    text = card_text(agent() if kind is InteractiveAgent else InterTemporalRewardModel.from_agent(agent()), card)
    read = HubCard(text)
    said = read.data.to_dict()
    assert said["license"] == "apache-2.0" and said["library_name"] == "interactive-rlhf"
    assert said["tags"][1] == ("interactive-agent" if kind is InteractiveAgent else "inter-temporal-reward-model")
    assert yaml.safe_load(text.split("---")[1]) == said
    assert read.text.strip().startswith(f"# {card.title}")


@pytest.mark.parametrize("kind", [InteractiveAgent, InterTemporalRewardModel], ids=["agent", "reward model"])
def test_its_programs_run_in_the_folder(
    kind: type[InteractiveAgent], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = agent() if kind is InteractiveAgent else InterTemporalRewardModel.from_agent(agent())
    save_agent(made, Tokenizer.train(["go to the red ball"], made_up_play.VOCABULARY), tmp_path)
    found = programs((tmp_path / CARD_FILE).read_text(encoding="utf-8"))
    assert len(found) == 2
    monkeypatch.chdir(tmp_path)
    for program in found:
        names: dict[str, object] = {}
        exec(program, names)
        loaded = next(value for value in names.values() if isinstance(value, InteractiveAgent))
        assert type(loaded) is kind
        weights = loaded.state_dict()
        assert all(value.equal(weights[name]) for name, value in made.state_dict().items())
    assert ("[[0.]]" if kind is InterTemporalRewardModel else "[[") in capsys.readouterr().out


def test_a_card_has_size_data_players_and_metrics() -> None:
    made = agent()
    text = card_text(made, CARD)
    assert f"{made.num_parameters():,} parameters" in text and "12x12 pixels" in text
    assert "`data/play`, imitated: 200 episodes, 225,000 steps." in text
    assert "Solver: scripted (150), `agent:clone` (50); setter: scripted (200)." in text
    assert "No person played or marked any of this" in text and "It began as the agent in `runs/clone/agent`." in text
    assert "rlhf clone --name 'a name'" in text and "Version 1.2.3, commit abc." in text
    assert "| `bc/loss` | 12.35 |" in text and "| `odd` | nan |" in text
    assert re.search(r"````json\n\{.*\"updates\": 7\n\}\n````\n", text, re.DOTALL)  # a longer fence than any inside


def test_people_are_counted_and_stand_ins_are_called_so() -> None:
    text = card_text(agent(), ModelCard(learned_from=(SCRIPTED, PEOPLES)))
    assert "marks: scripted (3), 2 people (40)." in text
    assert "People had a part in this" in text and "No person" not in text
    assert str(PlayedBy(by_people=4, people=1)) == "1 person (4)" and str(PlayedBy()) == "none"
