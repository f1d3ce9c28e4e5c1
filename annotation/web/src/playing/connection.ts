// A player's connection to a game. A lost connection is opened again, for as long as the game waits.
import { absolute } from "../address";
import { ApiError, ask } from "../api";
import { parse, type About, type Known, type View } from "./view";

/** Where the connection is: "ended" for good, with a sentence that says why. */
export type Link = { state: "connecting" | "open" | "lost" | "ended"; why: string };

export interface Listener {
  onView(view: View, picture: Blob | null): void;
  onLag(ms: number): void;
  onRefused(why: string): void;
  onLink(link: Link): void;
}

const SILENT_MS = 5_000; // the server says something every second
const LONGEST_WAIT_MS = 4_000;
const OVER = 1000;
const NOTHING_KNOWN: Known = { asked: [], dialogue: [], board: null };
const FOR_GOOD = new Set([1008, 1009, 4001, 4003]); // see annotation/server/sockets.py

export class Connection {
  private socket: WebSocket | null = null;
  private seen = 0;
  private known: Known = NOTHING_KNOWN; // from this connection's messages
  private heard = 0;
  private silent = 0; // how often in a row nothing had been heard for long
  private wait = 250;
  private closed = false;
  private again: ReturnType<typeof setTimeout> | undefined;
  private readonly watch = setInterval(() => this.check(), 1_000);

  constructor(
    private readonly game: string,
    private readonly listener: Listener,
  ) {
    this.open();
  }

  /** Send a message. Returns false if it cannot be sent now, or earlier ones are still waiting. */
  send(message: unknown): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN || this.socket.bufferedAmount > 2_000) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  close(): void {
    this.closed = true;
    clearInterval(this.watch);
    clearTimeout(this.again);
    this.socket?.close();
  }

  private open(): void {
    const socket = new WebSocket(absolute(`/api/play/games/${this.game}/socket`).replace(/^http/, "ws"));
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.seen = 0;
    this.known = NOTHING_KNOWN;
    this.heard = performance.now();
    socket.onopen = () => {
      this.wait = 250;
      this.listener.onLink({ state: "open", why: "" });
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.socket === socket && this.take(event.data);
    socket.onclose = (event) => this.socket === socket && this.lose(event.code, event.reason);
  }

  private take(data: string | ArrayBuffer): void {
    this.heard = performance.now();
    if (typeof data === "string") {
      const said = JSON.parse(data) as { lag_ms?: number; refused?: string };
      if (said.lag_ms !== undefined) this.listener.onLag(said.lag_ms);
      if (said.refused !== undefined) this.listener.onRefused(said.refused);
      return;
    }
    this.seen += 1;
    this.socket?.send(JSON.stringify({ seen: this.seen }));
    const { view, picture } = parse(data, this.known);
    this.known = view;
    this.listener.onView(view, picture);
  }

  private check(): void {
    const socket = this.socket;
    const silent = socket !== null && socket.readyState !== WebSocket.CLOSED && performance.now() - this.heard >= SILENT_MS;
    this.silent = silent ? this.silent + 1 : 0;
    if (!socket || this.silent < 2) return; // twice, as the browser itself may have been busy
    this.socket = null; // a closing handshake would take as long as the network is away
    socket.close();
    this.lose(1006, "");
  }

  private lose(code: number, why: string): void {
    this.socket = null;
    if (this.closed) return;
    if (code === OVER || FOR_GOOD.has(code)) {
      this.end(why);
      return;
    }
    this.listener.onLink({ state: "lost", why: "" });
    this.again = setTimeout(() => void this.comeBack(), this.wait);
    this.wait = Math.min(LONGEST_WAIT_MS, 2 * this.wait);
  }

  /** Open the connection again. A refused socket gives no reason; a request does. */
  private async comeBack(): Promise<void> {
    try {
      const about = await ask<About>("GET", `/api/play/games/${this.game}`);
      if (this.closed) return;
      if (about.role === null) this.end("you are no longer in this game");
      else this.open();
    } catch (error) {
      if (this.closed) return;
      if (error instanceof ApiError && !error.passing) this.end(error.message);
      else this.lose(1006, "");
    }
  }

  private end(why: string): void {
    this.close();
    this.listener.onLink({ state: "ended", why });
  }
}
