// Addresses of the server. A proxy may show it below a path, such as /study1/. All pages lie directly below that path,
// so links from page to page are relative ("mark", "./") and need nothing of this file.

/** The path below which the server lies: "/", or "/study1/". */
export function base(): string {
  return location.pathname.slice(0, location.pathname.lastIndexOf("/") + 1);
}

/** The server's path of this page, such as "/mark". */
export function page(): string {
  return `/${location.pathname.slice(base().length)}`;
}

/** A path of the server, such as "/api/me", as this browser has to ask for it. */
export function at(path: string): string {
  return base() + path.slice(1);
}

/** A path of the server as a whole link, for other people. */
export function absolute(path: string): string {
  return location.origin + at(path);
}
