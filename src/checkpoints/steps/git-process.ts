/** Asks git, which writes, locks, runs and fetches nothing then. */

import { createHash } from "node:crypto";
import { type GitArguments, runGit } from "../../base/node/run-git.ts";
import { english } from "../../l10n/l10n.ts";

/** Maximum time to wait for an answer of git. */
export const gitTimeoutMs = 10_000;

/** Returns no bytes if git fails. @param root a folder in the repository @param input what git reads */
export async function askGit(root: string, args: GitArguments, input = ""): Promise<Buffer> {
  const end = await runGit(root, args, { input, timeoutMs: gitTimeoutMs });
  return end.type === "exit" && end.code === 0 ? end.stdout : Buffer.alloc(0);
}

/** Returns the id of a file's object: git hashes the kind and the size together with the content. */
export function objectID(bytes: Uint8Array, algorithm: "sha1" | "sha256"): string {
  return createHash(algorithm)
    .update(english(`blob ${bytes.length}\0`))
    .update(bytes)
    .digest("hex");
}

export const algorithmOf = (object: string): "sha1" | "sha256" => (object.length === 64 ? "sha256" : "sha1");
