"""Datasets as repositories of the Hugging Face Hub: what is uploaded, and what a Hub refuses."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from huggingface_hub import constants

from rlhf.records.marks import Mark
from rlhf.store import open_store, same_episode
from rlhf.store.files.durable import only_writer
from rlhf.store.synthetic import synthetic_episode
from rlhf.store.transfer.hub import push
from rlhf.store.transfer.shared_play import share_dataset
from tests.unit.rlhf.store.transfer.local_hub import TOKEN, LocalHub, local_hub
from worlds.errors import UserError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    store = open_store(tmp_path / "data", create=True)
    for seed in range(3):
        store.write(synthetic_episode(seed, steps=6, height=4, width=5, episode_id=f"e{seed}"))
    store.write_marks([Mark("e1", "ann", 2, 1, scripted=False)])
    return store.folder


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    """A local Hub in the place of the public one, in which the user is logged in."""
    with local_hub() as running:
        monkeypatch.setattr(constants, "ENDPOINT", running.endpoint)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield running


def test_a_pushed_dataset_is_a_dataset_when_it_is_downloaded(folder: Path, hub: LocalHub, tmp_path: Path) -> None:
    pushed = push(folder, "lab/play")
    assert (pushed.url, pushed.episodes, pushed.removed) == (f"{hub.endpoint}/datasets/lab/play", 3, 0)
    repository = hub.repositories["lab/play"]
    assert repository.private and repository.commits == ["3 episodes"]
    there, here = open_store(repository.download(tmp_path / "there")), open_store(folder)
    assert there.verify() == [] and there.marks() == here.marks() and there.fingerprints() == here.fingerprints()
    assert all(same_episode(there.read(episode_id), here.read(episode_id)) for episode_id in here.ids())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "there"]  # no copy is left


def test_the_next_push_replaces_what_the_dataset_no_longer_has(folder: Path, hub: LocalHub, tmp_path: Path) -> None:
    push(folder, "lab/play")
    repository = hub.repositories["lab/play"]
    others = {"README.md": b"# Better", "figures/one.png": b"png", "LICENSE": b"MIT"}
    repository.files |= others
    store = open_store(folder)
    store.drop(["e2"])
    store.compact()
    pushed = push(folder, "lab/play")
    assert (pushed.episodes, pushed.uploaded, pushed.removed) == (2, 2, 6)
    there = open_store(repository.download(tmp_path / "there"))
    assert there.ids() == ["e0", "e1"] and there.verify() == []
    assert others.items() <= repository.files.items()


def test_the_copy_of_a_killed_upload_is_removed_and_that_of_a_running_one_is_kept(folder: Path, hub: LocalHub) -> None:
    left, running = (folder.parent / f".data-push-{name}" for name in ("left", "running"))
    for copy in (left, running):
        copy.mkdir()
        share_dataset(folder, copy)
    with only_writer(running):
        push(folder, "lab/play")
    assert not left.exists() and running.exists() and ".lock" not in hub.repositories["lab/play"].files


def test_a_public_repository_is_asked_for(folder: Path, hub: LocalHub) -> None:
    push(folder, "lab/open", public=True)
    assert not hub.repositories["lab/open"].private
    before = dict(hub.repositories["lab/open"].files)
    open_store(folder).drop(["e0"])
    with pytest.raises(UserError, match="everyone may see lab/open; add --public"):
        push(folder, "lab/open")
    assert hub.repositories["lab/open"].files == before


@pytest.mark.parametrize("step", ("preupload", "batch", "blobs", "commit"))
def test_an_upload_that_fails_leaves_the_repository_as_it_was(
    folder: Path, hub: LocalHub, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The client tries again, after seconds. Other threads sleep on, or they would keep a processor busy.
    monkeypatch.setattr("huggingface_hub.utils._http.time", SimpleNamespace(sleep=lambda seconds: None))
    push(folder, "lab/play")
    repository = hub.repositories["lab/play"]
    before = dict(repository.files)
    store = open_store(folder)
    store.drop(["e2"])
    store.compact()
    hub.broken = step
    with pytest.raises(UserError, match="run the command again|cannot be reached") as caught:
        push(folder, "lab/play")
    assert "\n" not in str(caught.value) and repository.files == before
    hub.broken = None
    push(folder, "lab/play")
    assert open_store(repository.download(tmp_path / "there")).ids() == ["e0", "e1"]


def test_a_wrong_token_is_one_line(folder: Path, hub: LocalHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_another")
    with pytest.raises(UserError, match="does not let you write to lab/play; log in with `hf auth login`") as caught:
        push(folder, "lab/play")
    assert "\n" not in str(caught.value) and "hf_another" not in str(caught.value) and not hub.repositories


@pytest.mark.parametrize("name", ("lab/play/more", "lab//", "what is this?", ""))
def test_a_wrong_name_is_one_line(folder: Path, hub: LocalHub, name: str) -> None:
    with pytest.raises(UserError, match="is no name of a repository; write NAMESPACE/NAME"):
        push(folder, name)


def test_no_network_is_one_line(folder: Path, hub: LocalHub, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # and does not listen
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{unused.getsockname()[1]}")
        with pytest.raises(UserError, match="cannot be reached .*; check the network and HF_ENDPOINT") as caught:
            push(folder, "lab/play")
    assert "\n" not in str(caught.value)
