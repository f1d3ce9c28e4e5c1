import assert from "node:assert/strict";
import { test } from "node:test";
import { CHUNK_STEPS, Frames, type View } from "../src/episode/frames";
import { FramesFile, packFrames } from "../src/episode/frames_file";

const STEPS = 2 * CHUNK_STEPS + 5;
const pause = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));

function file(begin: number): ArrayBuffer {
  return packFrames(Array.from({ length: Math.min(CHUNK_STEPS, STEPS - begin) }, (_, k) => new Uint8Array([137, begin + k])));
}

class Passing extends Error {
  readonly passing = true;
}

test("a file gives back its pictures, and a damaged one is refused", () => {
  const pictures = [new Uint8Array([1]), new Uint8Array([2, 3]), new Uint8Array([])];
  const read = new FramesFile(packFrames(pictures));
  assert.deepEqual([0, 1, 2].map((number) => [...read.picture(number)]), [[1], [2, 3], []]);
  assert.throws(() => new FramesFile(packFrames(pictures).slice(0, -1)), /damaged/);
});

test("loading begins at the moment that is shown, recorded pictures first", async () => {
  const asked: string[] = [];
  let complete: ArrayBuffer | undefined;
  const frames = new Frames(STEPS, async (view, begin) => (asked.push(`${view} ${begin}`), file(begin)), undefined, (whole) => (complete = whole));
  frames.want(CHUNK_STEPS + 3);
  assert.equal(frames.has(CHUNK_STEPS + 3), false);
  frames.start();
  await pause();
  assert.deepEqual(asked, ["seen 40", "seen 80", "seen 0", "sharp 40", "sharp 80", "sharp 0"]);
  assert.equal(frames.loaded, 1);
  assert.equal(new FramesFile(complete!).count, STEPS);
  assert.equal(frames.best(0), "sharp");
  frames.wantSharp(false);
  assert.equal(frames.best(0), "seen");
});

test("what has come of a chunk counts as loaded", async () => {
  let bring: (share: number) => void = () => undefined;
  const frames = new Frames(STEPS, (_, begin, onShare) => {
    if (begin === 0) return Promise.resolve(file(begin));
    bring = onShare;
    return new Promise(() => undefined);
  });
  const shown: number[] = [];
  frames.subscribe(() => shown.push(Math.floor(100 * frames.loaded)));
  frames.start();
  await pause();
  for (const share of [0.5, 1]) bring(share);
  assert.deepEqual(shown, [33, 49, 66], "a third, half of the next third, and less than two thirds until it is complete");
  frames.stop();
  bring(0.2);
  assert.equal(shown.length, 3, "another page shows another episode by now");
});

test("a chunk that was lost is asked for again, and no other twice", async () => {
  const asked: number[] = [];
  const frames = new Frames(STEPS, async (view, begin) => {
    if (view === "sharp") return null;
    asked.push(begin);
    if (asked.length === 2) throw new Passing("the connection broke off");
    return file(begin);
  });
  frames.start();
  await pause();
  assert.equal(frames.trouble, "the connection broke off");
  assert.equal(frames.has(0), true, "what is there can be shown meanwhile");
  await pause(700);
  assert.deepEqual(asked, [0, 40, 40, 80]);
  assert.equal(frames.trouble, "");
  frames.stop();
});

test("where nothing can be drawn the recorded pictures stay", async () => {
  const frames = new Frames(STEPS, async (view: View, begin) => {
    if (view === "sharp") throw new Error("it cannot be drawn");
    return file(begin);
  });
  frames.start();
  await pause();
  assert.equal(frames.drawable, false);
  assert.equal(frames.best(0), "seen");
  assert.equal(frames.trouble, "");
});

test("pictures of an earlier visit are not loaded again", async () => {
  const whole = packFrames(Array.from({ length: STEPS }, (_, step) => new Uint8Array([137, step])));
  const asked: View[] = [];
  const frames = new Frames(STEPS, async (view, begin) => (asked.push(view), file(begin)), whole);
  assert.equal(frames.has(STEPS - 1), true);
  frames.start();
  await pause();
  assert.deepEqual(asked, ["sharp", "sharp", "sharp"]);
});
