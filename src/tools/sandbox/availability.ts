/** Finds out whether this system has a sandbox, and says what to do if not. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { withoutKeys } from "../../base/node/without-keys.ts";
import { isWithin } from "../file-access/requirements.ts";
import { namespaceArguments } from "./bubblewrap.ts";
import { realPath } from "./hidden-places.ts";

const usualFolders = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];
const probeTimeoutMs = 10_000;

/** Returns the path of bubblewrap. A program in the workspace, or named by a relative path, could be anybody's. */
export function findBubblewrap(folders: readonly string[], searchPath = process.env["PATH"] ?? ""): string | undefined {
  const places = [...usualFolders, ...searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder))];
  const programs = places.map((folder) => path.join(folder, "bwrap")).filter((file) => existsSync(file));
  return programs.find((file) => !folders.some((folder) => isWithin(realPath(file) ?? file, folder)));
}

/** Runs nothing in the sandbox. Returns why that fails, in a sentence that says what to do. */
export async function bubblewrapProblem(program: string | undefined, network: boolean): Promise<string | undefined> {
  if (program === undefined) return missingBubblewrap;
  const args = [...namespaceArguments(network), "--", "/bin/sh", "-c", ":"];
  const failure = await new Promise<string | undefined>((resolve) => {
    execFile(program, args, { env: withoutKeys(), timeout: probeTimeoutMs }, (error, _stdout, stderr) =>
      resolve(error ? stderr.trim() || error.message : undefined),
    );
  });
  return failure === undefined ? undefined : forbiddenNamespaces(failure, readNumber);
}

export const missingBubblewrap =
  "it needs bubblewrap, which is not installed. Install it with `sudo apt install bubblewrap` (Debian, Ubuntu), `sudo dnf install bubblewrap` (Fedora) or `sudo pacman -S bubblewrap` (Arch).";

export const noSandboxOnWindows =
  "Windows has no sandbox that Rondo can use. Open the folder in WSL, where it can use bubblewrap.";

export const missingSeatbelt = "it needs /usr/bin/sandbox-exec, which this version of macOS does not have.";

/** `kernel` reads a number below `/proc/sys`; undefined if there is none. */
export function forbiddenNamespaces(failure: string, kernel: (name: string) => number | undefined): string {
  const [reason = ""] = failure.split("\n");
  // https://ubuntu.com/blog/ubuntu-23-10-restricted-unprivileged-user-namespaces
  if (kernel("kernel/apparmor_restrict_unprivileged_userns") === 1) {
    return `AppArmor does not let bubblewrap create user namespaces (${reason}). Install the profile that allows it: \`sudo apt install apparmor-profiles && sudo cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict\`.`;
  }
  // Debian before version 11.
  if (kernel("kernel/unprivileged_userns_clone") === 0) {
    return `this system does not allow user namespaces (${reason}). Allow them: \`sudo sysctl -w kernel.unprivileged_userns_clone=1\`.`;
  }
  if (kernel("user/max_user_namespaces") === 0) {
    return `this system does not allow user namespaces (${reason}). Allow them: \`sudo sysctl -w user.max_user_namespaces=10000\`.`;
  }
  return `bubblewrap does not work here (${reason}). In a container this is usual: the container is a sandbox itself, or must be started with the right to create user namespaces.`;
}

function readNumber(name: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/sys/${name}`, "utf8"));
  } catch {
    return undefined;
  }
}
