// The episode to mark: from the server, or, while that cannot be reached, the one that this browser keeps.
import { ApiError, ask, bytes, type Me } from "../api";
import { Frames } from "./frames";
import { forgetEpisode, keepEpisode, keptEpisode, type Episode } from "./kept";

export interface Work {
  episode: Episode;
  frames: Frames;
  position: number;
}

/** The next episode of this person; null if all are marked. Throws ApiError if neither server nor browser has one. */
export async function loadWork(person: Me): Promise<Work | null> {
  const kept = await keptEpisode(person.id).catch(() => undefined);
  try {
    const { assignment } = await ask<{ assignment: string | null }>("POST", "/api/marking/next");
    if (assignment === null) {
      await forgetEpisode(person.id).catch(() => undefined);
      return null;
    }
    const same = kept?.episode.id === assignment ? kept : undefined;
    const [episode, file] = await Promise.all([
      ask<Episode>("GET", `/api/marking/${assignment}`),
      same?.frames ?? bytes(`/api/marking/${assignment}/frames`),
    ]);
    const position = same?.position ?? episode.position;
    await keepEpisode({ person: person.id, episode, frames: file, position }).catch(() => undefined);
    return { episode, frames: new Frames(file), position };
  } catch (error) {
    if (!(error instanceof ApiError) || !error.passing || !kept) throw error;
    return { episode: kept.episode, frames: new Frames(kept.frames), position: kept.position };
  }
}

/** Keep where the rater is, and every mark, for the next visit. */
export function keepPlace(person: Me, work: Work, position: number, marks: Episode["marks"]): Promise<unknown> {
  return keptEpisode(person.id)
    .then((kept) => kept && kept.episode.id === work.episode.id && keepEpisode({ ...kept, episode: { ...kept.episode, marks }, position }))
    .catch(() => undefined);
}
