import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../src/api";
import type { Kept, Saying } from "../src/marking/kept";
import { Queue, type SavedState } from "../src/marking/queue";

Object.assign(globalThis, { addEventListener: () => undefined });

const said = (id: string, assignment: string): Kept<Saying> => ({ id, revision: 1, assignment, person: "ann" });

/** A queue of somebody who works on "now", with what this browser kept; the server refuses "old" with `status`. */
function visit(disk: Kept<Saying>[], status: number) {
  const states: SavedState[] = [];
  const shelf = {
    keep: async (saying: Kept<Saying>) => void disk.push(saying),
    kept: async () => [...disk],
    forget: async (sayings: Kept<Saying>[]) => void sayings.forEach((saying) => disk.splice(disk.indexOf(saying), 1)),
  };
  const put = async (assignment: string) => {
    if (assignment === "old") throw new ApiError(status, "the episode is submitted");
  };
  const queue = (own: string) => new Queue<Saying>("ann", own, shelf, put, (state) => states.push(state));
  return { queue, last: () => states[states.length - 1] };
}

for (const { status, kept } of [{ status: 409, kept: 0 }, { status: 404, kept: 1 }])
  test(`what is refused of earlier work (${status}) keeps nobody from the next`, async () => {
    const disk = [said("a", "old")];
    const { queue, last } = visit(disk, status);
    const now = queue("now");
    await now.resume();
    await now.add("now", { id: "b", revision: 1 });
    await now.send();
    assert.equal(now.waiting, 0);
    assert.deepEqual(last(), { waiting: 0, trouble: "", lost: false });
    assert.equal(disk.length, kept);
  });

test("what is refused of the work that is shown is told", async () => {
  const { queue, last } = visit([], 409);
  const old = queue("old");
  await old.add("old", { id: "a", revision: 1 });
  await old.send();
  clearTimeout((old as unknown as { timer: ReturnType<typeof setTimeout> }).timer);
  assert.equal(old.waiting, 1);
  assert.equal(last()?.trouble, "the episode is submitted");
});

test("what is said while the disk is read is newer than what the disk has", async () => {
  const sent: number[] = [];
  const disk = [said("a", "now")];
  const shelf = { keep: async () => undefined, kept: async () => [...disk], forget: async () => undefined };
  const put = async (_: string, batch: Kept<Saying>[]) => void sent.push(...batch.map((saying) => saying.revision));
  const queue = new Queue<Saying>("ann", "now", shelf, put, () => undefined);
  const resumed = queue.resume();
  const added = queue.add("now", { id: "a", revision: 2 });
  await resumed;
  await added;
  await queue.send();
  assert.equal(sent[sent.length - 1], 2);
  assert.ok(!sent.includes(1));
});
