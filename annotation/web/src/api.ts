// Requests to the server. Every change carries a token against forged requests.
import { at, page } from "./address";

export interface Me {
  name: string;
  id: string;
  roles: string[];
  csrf: string;
  consent_due: boolean; // nothing can be done before agreeing to the consent text
  viewing: boolean; // no study, only datasets to look at
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
const PATIENCE_MS = 30_000;
let csrf = "";

export async function me(): Promise<Me> {
  const found = await ask<Me>("GET", "/api/me");
  csrf = found.csrf;
  if (found.consent_due) toConsent();
  return found;
}

export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await request(method, path, body);
  return (await response.json()) as T;
}

/** A file of the server; null while the server is making it. A slow line may take its time; a silent one may not. */
export async function download(path: string): Promise<ArrayBuffer | null> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), PATIENCE_MS);
  try {
    const response = await send("GET", path, undefined, silence.signal);
    if (response.status === CONSENT_DUE) toConsent();
    if (!response.ok) throw new ApiError(response.status, await said(response));
    if (response.status === NO_CONTENT) throw new ApiError(NO_CONTENT, "there is no such file");
    if (response.status === ACCEPTED) return null;
    const parts: Uint8Array<ArrayBuffer>[] = [];
    const reader = response.body!.getReader();
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new ApiError(0, "the connection broke off");
      });
      if (done) return await new Blob(parts).arrayBuffer();
      parts.push(value as Uint8Array<ArrayBuffer>);
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), PATIENCE_MS);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function request(method: string, path: string, body?: unknown): Promise<Response> {
  // A page that was opened without a connection has no token yet.
  if (csrf === "" && method !== "GET" && !path.startsWith("/api/sign-in")) await me();
  const response = await send(method, path, body, AbortSignal.timeout(PATIENCE_MS));
  if (response.ok) return response;
  if (response.status === CONSENT_DUE) toConsent();
  const error = new ApiError(response.status, await said(response));
  if (response.status !== 403 || method === "GET" || !error.message.includes("X-CSRF-Token")) throw error;
  await me(); // a new sign-in on this browser since the page was opened
  const again = await send(method, path, body, AbortSignal.timeout(PATIENCE_MS));
  if (!again.ok) throw new ApiError(again.status, await said(again));
  return again;
}

function toConsent(): void {
  if (page() !== "/consent") location.assign(`consent#${page()}`);
}

async function send(method: string, path: string, body: unknown, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { "X-CSRF-Token": csrf };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    return await fetch(at(path), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      credentials: "same-origin",
    });
  } catch {
    throw new ApiError(0, "the server cannot be reached");
  }
}

async function said(response: Response): Promise<string> {
  try {
    const found: unknown = ((await response.json()) as { error?: unknown }).error;
    if (typeof found === "string") return found;
  } catch {
    // not ours, e.g. a proxy's page
  }
  return `the server answered with status ${response.status}`;
}
