"""Speed of writing and reading episodes and of drawing windows from them, and the size of episodes.

python -m benchmarks.reading                       # synthetic episodes of 60 steps, 48x36 and 96x72 pixels
python -m benchmarks.reading --data runs/play      # reading a dataset of your own
"""

from __future__ import annotations

import io
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from benchmarks.timing import best, options
from pipelines.stages.episodes.recordings import RecordedPlay, find_episodes
from rlhf.data.config import ReadingConfig
from rlhf.data.streamed import StreamedDataset
from rlhf.store import ParquetStore, open_store
from rlhf.store.columns.png import decode_frames, encode_frames
from rlhf.store.synthetic import synthetic_episode

SIZES = ((36, 48), (72, 96))  # height, width


def main() -> None:
    """Measure, and print the best of several rounds, as other load only slows a round down."""
    chosen = options(
        __doc__,
        data=(None, "a dataset to read instead of synthetic episodes", Path),
        episodes=(200, "how many"),
        steps=(60, "steps of a synthetic episode"),
    )
    if chosen.data is not None:
        store = open_store(chosen.data)
        report_reading(store, store.ids()[: chosen.episodes])
        report_windows(store)
        return
    for height, width in SIZES:
        print(f"\n{chosen.episodes} synthetic episodes of {chosen.steps} steps, {width}x{height} pixels")
        report_frames(synthetic_episode(0, chosen.steps, height, width).pictures())
        with tempfile.TemporaryDirectory(dir=".") as folder:  # not on a disk in memory
            store = open_store(Path(folder) / "data", create=True)
            report_writing(store, chosen.episodes, chosen.steps, height, width)
            report_reading(store, store.ids())
            report_windows(store)
            store.compact()
            print("  the same, compacted")
            report_reading(store, store.ids())


def report_frames(frames: np.ndarray) -> None:
    """Print the times to encode and decode one of ``frames``, uint8 [T, H, W, 3], of this project and of Pillow."""
    ours, theirs = encode_frames(frames), pillow_encoded(frames)
    for who, files, encode, decode in (
        ("ours", ours, encode_frames, decode_frames),
        ("Pillow", theirs, pillow_encoded, pillow_decoded),
    ):
        encoding = best(lambda encode=encode: encode(frames), time.process_time) / len(frames)
        decoding = best(lambda decode=decode, files=files: decode(files), time.process_time) / len(frames)
        size = statistics.fmean(map(len, files))
        print(
            f"  PNG, {who:<8}{encoding * 1e6:5.0f} us to encode, {decoding * 1e6:4.0f} us to decode, {size:,.0f} bytes"
        )


def report_writing(store: ParquetStore, episodes: int, steps: int, height: int, width: int) -> None:
    """Print the time until an episode is on disk, fsync included."""
    took, computed = [], []
    for seed in range(episodes):
        episode = synthetic_episode(seed, steps, height, width)
        began, before = time.perf_counter(), time.process_time()
        store.write(episode)
        took.append(time.perf_counter() - began)
        computed.append(time.process_time() - before)
    kib = sum(path.stat().st_size for path in store.folder.rglob("*") if path.is_file()) / episodes / 1024
    print(
        f"  writing  {statistics.median(took) * 1e3:.1f} ms an episode in the median "
        f"({statistics.median(computed) * 1e3:.1f} ms of a core), {kib:.0f} KiB on disk"
    )


def report_reading(store: ParquetStore, ids: Sequence[str]) -> None:
    """Print frames read per second, of whole episodes with all columns."""
    wanted = set(ids)
    frames = sum(row.steps for row in store.rows() if row.episode_id in wanted)
    one = best(lambda: [store.read(episode_id) for episode_id in ids])
    core = best(lambda: [store.read(episode_id) for episode_id in ids], time.process_time)
    two = best(lambda: [len(episode) for episode in store.stream(ids, threads=2)])
    print(
        f"  reading  {frames / core:,.0f} frames a second of a core; in wall-clock time {frames / one:,.0f} a second "
        f"in one thread, {frames / two:,.0f} in two"
    )


def report_windows(store: ParquetStore, steps: int = 50, batch: int = 96) -> None:
    """Print windows a second of play in memory and of play streamed from ``store``, and what the latter keeps.

    Nothing is learned meanwhile, so training never waits if the streamed figure is above its updates a second.
    """
    sources = find_episodes([store.folder])
    tokenizer = Tokenizer.train({"please lift the duck"}, 280)
    for name, reading in (
        ("in memory", ReadingConfig(in_memory_gb=1e6)),
        ("streamed, one thread", ReadingConfig(in_memory_gb=0.0, threads=1)),
        ("streamed, two threads", ReadingConfig(in_memory_gb=0.0, threads=2)),
        ("streamed, no cache", ReadingConfig(in_memory_gb=0.0, cache_gb=0.0)),
    ):
        play = RecordedPlay(sources, reading)
        sizes = AgentConfig.preset("nano", image_size=play.image_size, vocab_size=280)
        recording = play.encode(tokenizer, sizes)
        stream = recording.stream(steps, batch, seed=0)
        stream.next()
        took = best(lambda stream=stream: [stream.next() for _ in range(4)], rounds=3) / 4
        kept = f", {recording.bytes_kept / 1e6:.1f} MB kept" if isinstance(recording, StreamedDataset) else ""
        print(f"  windows  of {steps} x {batch} steps {name}: {1 / took:,.1f} a second{kept}")


def pillow_encoded(frames: np.ndarray) -> list[bytes]:
    """Encode PNG files at the same compression level with Pillow."""
    files = []
    for frame in frames:
        Image.fromarray(frame).save(buffer := io.BytesIO(), "PNG", compress_level=1)
        files.append(buffer.getvalue())
    return files


def pillow_decoded(files: Sequence[bytes]) -> np.ndarray:
    """Decode PNG files with Pillow."""
    return np.stack([np.asarray(Image.open(io.BytesIO(file))) for file in files])


if __name__ == "__main__":
    main()
