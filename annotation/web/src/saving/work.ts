// The next piece of work: from the server, or, while that cannot be reached, from this browser.
import { ApiError, ask, bytes, type Me } from "../api";
import { Frames } from "../episode/frames";
import type { EpisodeInfo } from "../episode/types";
import type { Edit, LocalStore } from "./local_store";

export interface Work<E extends EpisodeInfo> {
  episode: E;
  frames: Frames;
  position: number;
}

/**
 * The next piece of work of this person; null if all is done. Throws ApiError if neither server nor browser has one.
 * `routes` is where the server has this kind of work, e.g. "/api/marking".
 */
export async function loadWork<S extends Edit, E extends EpisodeInfo>(person: Me, routes: string, store: LocalStore<S, E>): Promise<Work<E> | null> {
  const kept = await store.work(person.id).catch(() => undefined);
  try {
    const { assignment } = await ask<{ assignment: string | null }>("POST", `${routes}/next`);
    if (assignment === null) {
      await store.forgetWork(person.id).catch(() => undefined);
      return null;
    }
    const same = kept?.episode.id === assignment ? kept : undefined;
    const [episode, file] = await Promise.all([
      ask<E>("GET", `${routes}/${assignment}`),
      same?.frames ?? bytes(`${routes}/${assignment}/frames`),
    ]);
    const position = same?.position ?? episode.position;
    await store.saveWork({ person: person.id, episode, frames: file, position }).catch(() => undefined);
    return { episode, frames: new Frames(file), position };
  } catch (error) {
    if (!(error instanceof ApiError) || !error.passing || !kept) throw error;
    return { episode: kept.episode, frames: new Frames(kept.frames), position: kept.position };
  }
}

/** Keep the step that is shown, and the state of the work, for the next visit. */
export function keepPlace<S extends Edit, E extends EpisodeInfo>(store: LocalStore<S, E>, person: Me, work: Work<E>, position: number, said: Partial<E>): Promise<unknown> {
  return store
    .work(person.id)
    .then((kept) => kept && kept.episode.id === work.episode.id && store.saveWork({ ...kept, episode: { ...kept.episode, ...said }, position }))
    .catch(() => undefined);
}
