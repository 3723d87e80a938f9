/** The secret places of this machine that no name tells: of its home folder, by its environment, and behind links. */
import { realpathSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { attempt } from "../../base/attempt.ts";
import { foundSecrets, namedByVariables, programFoldersOf } from "../../base/node/found-secrets.ts";
import { isSecret, isSecretBelow, plainPath } from "../file-access/protected-names.ts";
import { isWithin } from "../file-access/requirements.ts";

/** Programs come and go. */
const keptMs = 60_000;

/** All in lower case: some disks do not tell names of different case apart, and one question too many does no harm. */
interface Places {
  until: number;
  /** A folder, and of what kind the names in it are. */
  folders: readonly (readonly [folder: string, kind: "home" | "programs"])[];
  places: readonly string[];
}

export class OwnSecrets {
  #known: Places = { until: 0, folders: [], places: [] };

  /** `file`: absolute. */
  holds(file: string): boolean {
    const { folders, places } = this.#places();
    const name = plain(file);
    return (
      folders.some(
        ([folder, kind]) =>
          name !== folder &&
          isWithin(name, folder) &&
          isSecretBelow(kind, name.slice(folder.length).replace(/^\//, "")),
      ) || places.some((place) => isWithin(name, place))
    );
  }

  /** Whether a file in the folder may be one although its name tells nothing, and no name of a folder has a dot. */
  mayBeIn(folder: string): boolean {
    const { folders, places } = this.#places();
    const name = plain(folder);
    const isIn = folders.some(([one, kind]) => (kind === "home" ? name === one : isWithin(name, one)));
    return isIn || places.some((place) => isWithin(name, place) || path.posix.dirname(place) === name);
  }

  #places(): Places {
    if (this.#known.until <= performance.now()) this.#known = findPlaces();
    return this.#known;
  }
}

function findPlaces(): Places {
  const home = os.homedir();
  const variables = namedByVariables().map(([place, name]) => (name === "" ? place : path.join(place, name)));
  const behindLinks = foundSecrets().flatMap(({ at, real }) => (at === real ? [] : [real]));
  const places = [...variables.filter((one) => !one.includes("*")), ...behindLinks].filter((place) => !isSecret(place));
  return {
    until: performance.now() + keptMs,
    folders: [
      ...named([home]).map((folder) => [folder, "home"] as const),
      ...named(programFoldersOf()).map((folder) => [folder, "programs"] as const),
    ],
    places: named(places),
  };
}

/** Returns the paths with and without links, as they are compared. */
function named(paths: readonly string[]): string[] {
  const all = paths.flatMap((one) => [one, attempt(() => realpathSync.native(one), one)]);
  return [...new Set(all.map((one) => plain(one).replace(/(?<=.)\/$/, "")))];
}

const plain = (file: string) => plainPath(file).toLowerCase();
