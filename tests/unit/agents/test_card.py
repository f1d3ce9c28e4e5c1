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


@pytest.mark.parametrize("kind", [InteractiveAgent, InterTemporalRewardModel], ids=["agent", "reward model"])
def test_the_hub_reads_it_and_its_programs_run_in_the_folder(
    kind: type[InteractiveAgent], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = made_up_play.tiny()
    if kind is InterTemporalRewardModel:
        made = InterTemporalRewardModel.from_agent(made)
    for card in (ModelCard(), CARD):
        text = card_text(made, card)
        said = HubCard(text).data.to_dict()
        assert said["license"] == "apache-2.0" and said["library_name"] == "interactive-rlhf"
        assert said["tags"][1] == ("interactive-agent" if kind is InteractiveAgent else "inter-temporal-reward-model")
        assert yaml.safe_load(text.split("---")[1]) == said and f"\n# {card.title}" in text
    save_agent(made, Tokenizer.train(["go to the red ball"], made_up_play.VOCABULARY), tmp_path)
    found = re.findall(r"```python\n(.*?)```", (tmp_path / CARD_FILE).read_text(encoding="utf-8"), re.DOTALL)
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
    made = made_up_play.tiny()
    text = card_text(made, CARD)
    for said in (
        f"{made.num_parameters():,} parameters",
        "`data/play`, imitated: 200 episodes, 225,000 steps.",
        "Solver: scripted (150), `agent:clone` (50); setter: scripted (200).",
        "No person played or marked any of this",
        "It began as the agent in `runs/clone/agent`.",
        "rlhf clone --name 'a name'",
        "| `bc/loss` | 12.35 |",
        "| `odd` | nan |",
    ):
        assert said in text
    assert re.search(r"````json\n\{.*\"updates\": 7\n\}\n````\n", text, re.DOTALL)  # a longer fence than any inside
    text = card_text(made, ModelCard(learned_from=(SCRIPTED, PEOPLES)))
    assert "marks: scripted (3), 2 people (40)." in text, "stand-ins are called so"
    assert "People had a part in this" in text and "No person" not in text
