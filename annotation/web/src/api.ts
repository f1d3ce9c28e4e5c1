// Requests to the server. Every change carries a token against forged requests.
import { at, page } from "./address";

export interface Me {
  name: string;
  id: string;
  roles: string[];
  csrf: string;
  consent_due: boolean; // nothing can be done before agreeing to the consent text
  viewing: boolean; // no study, only datasets to look at
  teaching: boolean; // `rlhf teach` has begun this server
}

/** An error of a request; status 0: no answer, as the connection is lost. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }

  /** True if the same request may succeed later. */
  get passing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

const [ACCEPTED, NO_CONTENT] = [202, 204];
const CONSENT_DUE = 428;
const PATIENCE_MS = 30_000; // of silence
const WHOLE_ANSWER_MS = 300_000; // of an answer whose parts are not watched: 2 MB at 50 kbit/s
export const AGAIN_MS = 5_000; // between tries of a request whose error is passing
let csrf = "";

export async function me(): Promise<Me> {
  const found = await ask<Me>("GET", "/api/me");
  csrf = found.csrf;
  if (found.consent_due) toConsent();
  return found;
}

/** The answer of `request`, which is repeated while its error is passing. `onTrouble` gets each such error's message, and "" at the answer. */
export async function untilAnswered<T>(request: () => Promise<T>, onTrouble: (said: string) => void): Promise<T> {
  for (;;) {
    try {
      const found = await request();
      onTrouble("");
      return found;
    } catch (error) {
      if (!(error instanceof ApiError) || !error.passing) throw error;
      onTrouble(error.message);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  // A page that was opened without a connection has no token yet.
  if (csrf === "" && method !== "GET" && !path.startsWith("/api/sign-in")) await me();
  try {
    return parsed<T>((await send(method, path, body)).bytes);
  } catch (error) {
    const old = error instanceof ApiError && error.status === 403 && error.message.includes("X-CSRF-Token");
    if (!old || method === "GET") throw error;
  }
  await me(); // a new sign-in on this browser since the page was opened
  return parsed<T>((await send(method, path, body)).bytes);
}

/** A file of the server; null while the server is making it. `onShare` gets the share of it that has come. */
export async function download(path: string, onShare: (share: number) => void): Promise<ArrayBuffer | null> {
  const { status, bytes } = await send("GET", path, undefined, onShare);
  if (status === NO_CONTENT) throw new ApiError(NO_CONTENT, "there is no such file");
  return status === ACCEPTED ? null : bytes;
}

function toConsent(): void {
  if (page() !== "/consent") location.assign(`consent#${page()}`);
}

/** Send a request and read its whole answer. A slow line may take its time; a silent one may not. */
async function send(method: string, path: string, body?: unknown, onShare?: (share: number) => void): Promise<{ status: number; bytes: ArrayBuffer }> {
  const headers: Record<string, string> = { "X-CSRF-Token": csrf };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), PATIENCE_MS);
  const heard = (patience: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), patience);
  };
  let trouble = "the server cannot be reached";
  try {
    const response = await fetch(at(path), { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal: silence.signal, credentials: "same-origin" });
    trouble = "the connection broke off";
    heard(onShare ? PATIENCE_MS : WHOLE_ANSWER_MS);
    const bytes = onShare ? await read(response, (share) => (heard(PATIENCE_MS), onShare(share))) : await response.arrayBuffer();
    if (response.status === CONSENT_DUE) toConsent();
    if (!response.ok) throw new ApiError(response.status, said(response.status, bytes));
    return { status: response.status, bytes };
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError(0, trouble);
  } finally {
    clearTimeout(timer);
  }
}

async function read(response: Response, onShare: (share: number) => void): Promise<ArrayBuffer> {
  const length = Number(response.headers.get("Content-Length") ?? 0);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  let received = 0;
  for (;;) {
    const next = await reader?.read();
    if (!next || next.done) return await new Blob(parts).arrayBuffer();
    parts.push(next.value as Uint8Array<ArrayBuffer>);
    received += next.value.byteLength;
    onShare(length > 0 ? Math.min(1, received / length) : 0);
  }
}

function parsed<T>(bytes: ArrayBuffer): T {
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}

function said(status: number, bytes: ArrayBuffer): string {
  try {
    const found: unknown = parsed<{ error?: unknown }>(bytes).error;
    if (typeof found === "string") return found;
  } catch {
    // not ours, e.g. a proxy's page
  }
  return `the server answered with status ${status}`;
}
