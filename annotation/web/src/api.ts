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

export async function bytes(path: string): Promise<ArrayBuffer> {
  const response = await request("GET", path, undefined, 60_000);
  return await response.arrayBuffer().catch(() => {
    throw new ApiError(0, "the connection broke off");
  });
}

async function request(method: string, path: string, body?: unknown, patience = PATIENCE_MS): Promise<Response> {
  // A page that was opened without a connection has no token yet.
  if (csrf === "" && method !== "GET" && !path.startsWith("/api/sign-in")) await me();
  const response = await send(method, path, body, patience);
  if (response.ok) return response;
  if (response.status === CONSENT_DUE) toConsent();
  const error = new ApiError(response.status, await said(response));
  if (response.status !== 403 || method === "GET" || !error.message.includes("X-CSRF-Token")) throw error;
  await me(); // a new sign-in on this browser since the page was opened
  const again = await send(method, path, body, patience);
  if (!again.ok) throw new ApiError(again.status, await said(again));
  return again;
}

function toConsent(): void {
  if (page() !== "/consent") location.assign(`consent#${page()}`);
}

async function send(method: string, path: string, body: unknown, patience: number): Promise<Response> {
  const headers: Record<string, string> = { "X-CSRF-Token": csrf };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    return await fetch(at(path), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(patience),
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
