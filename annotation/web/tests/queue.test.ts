import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../src/api";
import type { PendingEdit, Edit } from "../src/saving/local_store";
import { Queue, type SavedState } from "../src/saving/queue";

const listening = new Set<() => void>(); // for a connection that is back
Object.assign(globalThis, {
  addEventListener: (_: string, listener: () => void) => listening.add(listener),
  removeEventListener: (_: string, listener: () => void) => listening.delete(listener),
});

const said = (id: string, assignment: string): PendingEdit<Edit> => ({ id, revision: 1, assignment, person: "ann" });

/** A queue of somebody who works on "now", with what this browser kept; the server refuses "old" with `status`, and gets `sent`. */
function visit(disk: PendingEdit<Edit>[], status: number, sent: PendingEdit<Edit>[] = []) {
  const states: SavedState[] = [];
  const store = {
    keep: async (edit: PendingEdit<Edit>) => void disk.push(edit),
    kept: async () => [...disk],
    forget: async (edits: PendingEdit<Edit>[]) => void edits.forEach((edit) => disk.splice(disk.indexOf(edit), 1)),
  };
  const put = async (assignment: string, batch: PendingEdit<Edit>[]) => {
    if (assignment === "old") throw new ApiError(status, "the episode is submitted");
    sent.push(...batch);
  };
  const queue = (own: string) => new Queue<Edit>("ann", own, store, put, (state) => states.push(state));
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
  const store = { keep: async () => undefined, kept: async () => [...disk], forget: async () => undefined };
  const put = async (_: string, batch: PendingEdit<Edit>[]) => void sent.push(...batch.map((edit) => edit.revision));
  const queue = new Queue<Edit>("ann", "now", store, put, () => undefined);
  const resumed = queue.resume();
  const added = queue.add("now", { id: "a", revision: 2 });
  await resumed;
  await added;
  await queue.send();
  assert.equal(sent[sent.length - 1], 2);
  assert.ok(!sent.includes(1));
});

test("what is added while the last is being sent is sent before the queue is flushed", async () => {
  const { queue, last } = visit([], 409);
  const now = queue("now");
  await now.add("now", { id: "a", revision: 1 });
  const flushed = now.flush();
  void now.add("now", { id: "b", revision: 1 });
  await flushed;
  await now.flush();
  assert.equal(now.waiting, 0);
  assert.equal(last()?.trouble, "");
});

test("a queue that cannot be flushed says why", async () => {
  const { queue } = visit([], 409);
  const old = queue("old");
  await old.add("old", { id: "a", revision: 1 });
  await assert.rejects(old.flush(), /not everything is saved yet \(the episode is submitted\)/);
  clearTimeout((old as unknown as { timer: ReturnType<typeof setTimeout> }).timer);
});

test("a closed queue listens until nothing waits, and no longer", async () => {
  listening.clear();
  let online = false;
  const store = { keep: async () => undefined, kept: async () => [], forget: async () => undefined };
  const put = async () => {
    if (!online) throw new ApiError(0, "the server cannot be reached");
  };
  const queue = new Queue<Edit>("ann", "now", store, put, () => undefined);
  await queue.add("now", { id: "a", revision: 1 });
  await queue.send();
  queue.close();
  assert.equal(listening.size, 1);
  online = true;
  for (const listener of listening) listener();
  await queue.send();
  assert.equal(queue.waiting, 0);
  assert.equal(listening.size, 0);
  new Queue<Edit>("ann", "now", store, put, () => undefined).close();
  assert.equal(listening.size, 0);
});

test("what another window said instead is not sent at the next visit, and what is said now is", async () => {
  const disk = [said("a", "now"), said("b", "now")];
  const sent: PendingEdit<Edit>[] = [];
  const { queue } = visit(disk, 409, sent);
  const now = queue("now");
  const kept = await now.resume();
  const added = now.add("now", { id: "b", revision: 1 });
  await now.forget(kept);
  await added;
  await now.send();
  assert.deepEqual(sent.map((edit) => edit.id), ["b"]);
  assert.ok(!kept.includes(sent[0]!));
  assert.ok(!disk.some((edit) => edit.id === "a"));
});
