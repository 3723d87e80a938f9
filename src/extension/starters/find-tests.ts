/** Finds how a folder's tests are run, by the files that say so. */
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { parseJson } from "../../base/json.ts";

export interface FoundTests {
  /** "npm test" */
  command: string;
  /** The file that says so: "package.json". */
  source: string;
}

/** A larger file is not one that people write. */
const maxBytes = 1 << 20;

/** What npm writes into a new package.json. */
const noTests = /no test specified/;

const lockFiles = { "pnpm-lock.yaml": "pnpm test", "yarn.lock": "yarn test", "bun.lock": "bun run test" };

/** Other files, what they must contain, and the command. */
const others: readonly [string, RegExp, string][] = [
  ["Cargo.toml", /^/, "cargo test"],
  ["go.mod", /^/, "go test ./..."],
  ["pytest.ini", /^/, "pytest"],
  ["pyproject.toml", /pytest/, "pytest"],
  ["pom.xml", /<project/, "mvn test"],
  ["Makefile", /^test:/m, "make test"],
];

/** Never rejects. The first folder with tests counts. */
export async function findTests(folders: readonly string[]): Promise<FoundTests | undefined> {
  for (const folder of folders) {
    const found = (await inPackage(folder)) ?? (await inOthers(folder));
    if (found) return found;
  }
  return undefined;
}

async function inPackage(folder: string): Promise<FoundTests | undefined> {
  const source = "package.json";
  const manifest = parseJson((await textOf(path.join(folder, source))) ?? "");
  const scripts = typeof manifest === "object" && manifest !== null && "scripts" in manifest ? manifest.scripts : {};
  const test = typeof scripts === "object" && scripts !== null && "test" in scripts ? scripts.test : undefined;
  if (typeof test !== "string" || test === "" || noTests.test(test)) return undefined;
  for (const [file, command] of Object.entries(lockFiles)) {
    if ((await textOf(path.join(folder, file), 1)) !== undefined) return { command, source };
  }
  return { command: "npm test", source };
}

async function inOthers(folder: string): Promise<FoundTests | undefined> {
  for (const [source, content, command] of others) {
    const text = await textOf(path.join(folder, source));
    if (text !== undefined && content.test(text)) return { command, source };
  }
  return undefined;
}

/** Returns undefined where there is no such file. `length`: bytes to read; 1 to see whether it is there. */
async function textOf(file: string, length = maxBytes): Promise<string | undefined> {
  try {
    const { size } = await stat(file);
    if (length === 1) return "";
    return size > length ? undefined : await readFile(file, "utf8");
  } catch {
    return undefined;
  }
}
