// What to work on: from the server, or, while that cannot be reached, what this browser keeps.
import { ApiError, ask, bytes, type Me } from "../api";
import { Frames } from "./frames";
import { Shelf, type Saying, type Shown } from "./kept";
import type { Mark } from "./marks";

export interface Episode extends Shown {
  marks: Mark[];
  training: boolean; // known marks are shown after it is submitted
  title: string; // of its project
  instructions: string;
}

export interface Work<E extends Shown = Episode> {
  episode: E;
  frames: Frames;
  position: number;
}

export const MARKS = new Shelf<Mark, Episode>("rlhf-marking");

/**
 * The next piece of work of this person; null if all is done. Throws ApiError if neither server nor browser has one.
 * `routes` is where the server has this kind of work, e.g. "/api/marking".
 */
export async function loadWork<S extends Saying, E extends Shown>(person: Me, routes: string, shelf: Shelf<S, E>): Promise<Work<E> | null> {
  const kept = await shelf.work(person.id).catch(() => undefined);
  try {
    const { assignment } = await ask<{ assignment: string | null }>("POST", `${routes}/next`);
    if (assignment === null) {
      await shelf.forgetWork(person.id).catch(() => undefined);
      return null;
    }
    const same = kept?.episode.id === assignment ? kept : undefined;
    const [episode, file] = await Promise.all([
      ask<E>("GET", `${routes}/${assignment}`),
      same?.frames ?? bytes(`${routes}/${assignment}/frames`),
    ]);
    const position = same?.position ?? episode.position;
    await shelf.keepWork({ person: person.id, episode, frames: file, position }).catch(() => undefined);
    return { episode, frames: new Frames(file), position };
  } catch (error) {
    if (!(error instanceof ApiError) || !error.passing || !kept) throw error;
    return { episode: kept.episode, frames: new Frames(kept.frames), position: kept.position };
  }
}

/** Keep where somebody is, and all that they have said, for the next visit. */
export function keepPlace<S extends Saying, E extends Shown>(shelf: Shelf<S, E>, person: Me, work: Work<E>, position: number, said: Partial<E>): Promise<unknown> {
  return shelf
    .work(person.id)
    .then((kept) => kept && kept.episode.id === work.episode.id && shelf.keepWork({ ...kept, episode: { ...kept.episode, ...said }, position }))
    .catch(() => undefined);
}
