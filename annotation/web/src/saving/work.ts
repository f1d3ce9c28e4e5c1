// The next piece of work: from the server, or, while that cannot be reached, from this browser.
import { ApiError, ask, type Me } from "../api";
import { chunks } from "../episode/chunks";
import { Frames } from "../episode/frames";
import type { Edit, LocalStore, WorkInfo } from "./local_store";

export interface Work<E extends WorkInfo> {
  episode: E;
  frames: Frames;
  position: number;
  fresh: boolean; // as the server has it, not as this browser kept it
}

/**
 * The next piece of work of this person; null if all is done. Throws ApiError if neither server nor browser has one.
 * `routes` is where the server has this kind of work, e.g. "/api/tasks/marking".
 */
export async function loadWork<S extends Edit, E extends WorkInfo>(person: Me, routes: string, store: LocalStore<S, E>): Promise<Work<E> | null> {
  const kept = await store.work(person.id).catch(() => undefined);
  try {
    const { assignment } = await ask<{ assignment: string | null }>("POST", `${routes}/next`);
    if (assignment === null) {
      await store.forgetWork(person.id).catch(() => undefined);
      return null;
    }
    const same = kept?.episode.id === assignment ? kept : undefined;
    const episode = await ask<E>("GET", `${routes}/${assignment}`);
    const position = same?.position ?? episode.position ?? 0;
    await store.saveWork({ person: person.id, episode, frames: same?.frames ?? null, position }).catch(() => undefined);
    return { episode, frames: framesOf(person, routes, store, episode, same?.frames ?? undefined), position, fresh: true };
  } catch (error) {
    if (!(error instanceof ApiError) || !error.passing || !kept?.frames) throw error;
    return { episode: kept.episode, frames: framesOf(person, routes, store, kept.episode, kept.frames), position: kept.position, fresh: false };
  }
}

/** The pictures of an episode, which this browser keeps once all are loaded. */
function framesOf<S extends Edit, E extends WorkInfo>(person: Me, routes: string, store: LocalStore<S, E>, episode: E, kept?: ArrayBuffer): Frames {
  const keep = (frames: ArrayBuffer) => void store.changeWork(person.id, episode.id, (kept) => ({ ...kept, frames })).catch(() => undefined);
  return new Frames(episode.steps, chunks(`${routes}/${episode.id}`), kept, keep);
}

/** Keep the step that is shown, and the state of the work, for the next visit. */
export function keepPlace<S extends Edit, E extends WorkInfo>(store: LocalStore<S, E>, person: Me, work: Work<E>, position: number, said: Partial<E>): Promise<unknown> {
  return store.changeWork(person.id, work.episode.id, (kept) => ({ ...kept, episode: { ...kept.episode, ...said }, position })).catch(() => undefined);
}
