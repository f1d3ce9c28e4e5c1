// Builds the front end into ../static, with a checksum of what it was built from beside it.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "static");

await build({
  entryPoints: { app: join(here, "src/main.tsx"), "service-worker": join(here, "src/service_worker.ts") },
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["chrome110", "firefox115"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
});
mkdirSync(out, { recursive: true });
for (const name of ["index.html", "app.css", "icon.svg"]) copyFileSync(join(here, "src", name), join(out, name));

// As tests/unit/annotation/test_static.py does it: path, a zero byte, contents, a zero byte; by path.
const hash = createHash("sha256");
const files = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(here.length + 1).replaceAll("\\", "/"));
for (const name of [...files, "package-lock.json", "build.mjs"].sort()) {
  hash.update(name + "\0").update(readFileSync(join(here, name))).update("\0");
}
writeFileSync(join(out, "sources.sha256"), hash.digest("hex") + "\n");
