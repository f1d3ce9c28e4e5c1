// Runs tests/*.ts in Node's own test runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(join(tmpdir(), "rlhf-web-tests-"));
const entryPoints = readdirSync(join(here, "tests")).filter((name) => name.endsWith(".test.ts")).map((name) => join(here, "tests", name));
await build({ entryPoints, outdir: out, outExtension: { ".js": ".mjs" }, bundle: true, platform: "node", format: "esm", logLevel: "warning" });
const { status } = spawnSync(process.execPath, ["--test", ...readdirSync(out).map((name) => join(out, name))], { stdio: "inherit" });
rmSync(out, { recursive: true });
process.exit(status ?? 1);
