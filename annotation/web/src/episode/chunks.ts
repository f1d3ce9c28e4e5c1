// Chunks of an episode's pictures from the server, see annotation/server/services/frames.py.
import { download } from "../api";
import type { LoadChunk } from "./frames";

/** Load chunks of the episode that the server has at `place`, e.g. "/api/tasks/marking/1234". */
export function chunks(place: string): LoadChunk {
  return (view, begin, onShare) => download(`${place}/frames?view=${view}&begin=${begin}`, onShare);
}
