// Where people play: the lobby, and behind a # the game.
import { Play as Game } from "./playing/game";
import { Lobby } from "./playing/lobby";

export function Play() {
  const id = location.hash.slice(1);
  return /^[0-9a-f]{32}$/.test(id) ? <Game id={id} /> : <Lobby />;
}
