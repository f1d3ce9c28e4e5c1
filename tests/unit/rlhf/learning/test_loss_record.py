"""What is learned at a fixed seed is what was learned before, to the last bit."""

from __future__ import annotations

import pytest

from tests.unit.rlhf.learning import loss_record

RENEW = (
    "if that is meant, renew the record with `python -m tests.unit.rlhf.learning.loss_record` and say so in the commit"
)


@pytest.fixture(scope="module")
def losses() -> loss_record.Losses:
    return loss_record.measure()


def test_it_is_the_same_when_measured_again(losses: loss_record.Losses) -> None:
    assert loss_record.measure() == losses


@pytest.mark.parametrize("name", ["BC", "IBT", "BC+RL"])
def test_the_losses_are_those_of_the_record_to_the_last_bit(losses: loss_record.Losses, name: str) -> None:
    made_with, recorded = loss_record.read()
    here = loss_record.made_with()
    if different := [
        f"{what} is {here[what]}, not {made_with[what]}" for what in made_with if here[what] != made_with[what]
    ]:
        pytest.skip(f"the record was made elsewhere: {'; '.join(different)}")
    assert losses[name] == recorded[name], RENEW


@pytest.mark.parametrize("name", ["BC", "IBT", "BC+RL"])
def test_the_losses_are_near_those_of_the_record_on_every_machine(losses: loss_record.Losses, name: str) -> None:
    made_with, recorded = loss_record.read()
    if made_with["tokenizers"] != loss_record.made_with()["tokenizers"]:
        pytest.skip("another version of tokenizers may cut words otherwise")
    assert len(losses[name]) == len(recorded[name])
    for update, before in zip(losses[name], recorded[name], strict=True):
        assert update == pytest.approx(before, rel=1e-2, abs=1e-3), RENEW
