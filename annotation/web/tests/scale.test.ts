import assert from "node:assert/strict";
import { test } from "node:test";
import { Scale } from "../src/episode/scale";

test("without anything before it, steps lie evenly, as they always did", () => {
  const scale = new Scale(200);
  for (const share of [-0.5, 0, 0.1, 0.25, 0.5, 0.75, 0.999, 1, 3]) assert.equal(scale.step(share), Math.max(0, Math.min(199, Math.floor(share * 200))));
  assert.equal(scale.share(50.5), 50.5 / 200);
});

test("what led up to the rest never takes more than two fifths", () => {
  const long = new Scale(1000, 900);
  assert.ok(Math.abs(long.share(900) - 0.4) < 1e-9);
  assert.equal(long.step(0.4), 900);
  assert.equal(long.step(0.7), 950);
  assert.equal(long.step(0.2), 450);
  const short = new Scale(100, 20);
  assert.equal(short.share(20), 0.2);
});

test("the middle of every step leads back to it", () => {
  for (const scale of [new Scale(77), new Scale(77, 1), new Scale(77, 40), new Scale(77, 76)]) {
    for (let step = 0; step < 77; step += 1) assert.equal(scale.step(scale.share(step + 0.5)), step);
  }
  assert.equal(new Scale(77, 40).step(-1), 0);
  assert.equal(new Scale(77, 40).step(2), 76);
});
