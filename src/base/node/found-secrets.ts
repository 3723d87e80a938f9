/** Finds the secret places of this machine: in the home folder, where the environment puts them, and of the system. */
import { lstatSync, readdirSync, realpathSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { attempt } from "../attempt.ts";
import { NameTree } from "../name-tree.ts";
import {
  innerHomes,
  programFolders,
  programFolderVariables,
  type SecretPlaces,
  secretPlaceNames,
  secretPlaces,
} from "../secret-places.ts";

interface FoundSecret {
  /** Absolute, as it is named. */
  at: string;
  /** With links resolved. */
  real: string;
  isFolder: boolean;
  sandbox: SecretPlaces["sandbox"];
}

type Variables = Readonly<Record<string, string | undefined>>;

type PlaceTree = NameTree<FoundSecret["sandbox"]>;

/** Returns those that exist, small ones first. */
export function foundSecrets(home = os.homedir(), env: Variables = process.env): FoundSecret[] {
  const found = new Map<string, FoundSecret>();
  const look = (root: string, tree: PlaceTree) => {
    for (const [at, sandbox] of placesBelow(root, tree)) {
      const place = found.has(at) ? undefined : placeAt(at, sandbox);
      if (place) found.set(at, place);
    }
  };
  for (const sandbox of ["hidden", "visible"] as const)
    for (const [place, name] of namedByVariables(env, sandbox, home)) {
      if (name !== "") look(place, treeOf(name, sandbox));
      else look(path.dirname(place), treeOf(path.basename(place), sandbox));
    }
  const trees = knownTrees();
  look(home, trees.home);
  for (const folder of programFoldersOf(env)) look(folder, trees.programs);
  look("/", trees.system);
  return [...found.values()];
}

/** Returns the folders that the environment names, in which programs keep their files. */
export function programFoldersOf(env: Variables = process.env): string[] {
  const named = Object.keys(programFolderVariables).map((name) => env[name] ?? "");
  return [...new Set(named.filter((folder) => path.isAbsolute(folder)))];
}

/** Returns what variables name as a secret, whether it exists or not: a place, and what in it is secret ("" for all). */
export function namedByVariables(
  env: Variables = process.env,
  sandbox?: SecretPlaces["sandbox"],
  home = os.homedir(),
): [place: string, name: string][] {
  return secretPlaces()
    .filter((one) => (sandbox ?? one.sandbox) === one.sandbox)
    .flatMap(({ variables }) => Object.entries(variables ?? {}))
    .flatMap(([variable, name]) =>
      (env[variable] ?? "")
        .split(path.delimiter)
        .filter((place) => path.isAbsolute(place) && (name !== "" || isPlausible(place, home)))
        .map((place): [string, string] => [path.resolve(place), name]),
    );
}

/** A history may be `/dev/null`; and whoever names the home folder means something else. */
function isPlausible(place: string, home: string): boolean {
  return (
    !place.startsWith("/dev/") && !`${home}${path.sep}`.startsWith(path.resolve(place).replace(/[/\\]?$/, path.sep))
  );
}

/** Made when they are first needed: most sessions start no sandbox. */
let madeTrees: Readonly<Record<"home" | "programs" | "system", PlaceTree>> | undefined;

function knownTrees() {
  madeTrees ??= makeTrees();
  return madeTrees;
}

function makeTrees() {
  const named = (at: SecretPlaces["at"], isPlace: (name: string, sandbox: FoundSecret["sandbox"]) => boolean) => {
    const tree: PlaceTree = new NameTree();
    for (const sandbox of ["hidden", "visible"] as const)
      for (const name of secretPlaceNames(at, sandbox))
        if (isPlace(name, sandbox)) tree.add(name.replace(/^\/|\/$/g, ""), sandbox);
    return tree;
  };
  // Not each folder of a program is looked into.
  const programs = named("programs", (name) => !name.startsWith("*/"));
  const home = named("home", () => true);
  // Keys and environments of projects, which have wildcards, are no places of their own.
  for (const name of secretPlaceNames("any", "hidden")) home.add(name, "hidden");
  for (const name of secretPlaceNames("any", "visible")) if (!name.includes("*")) home.add(name, "visible");
  for (const folder of programFolders) home.graft(folder, programs);
  for (const inner of innerHomes) home.graft(inner, home);
  return { home, programs, system: named("system", () => true) };
}

function treeOf(name: string, sandbox: FoundSecret["sandbox"]): PlaceTree {
  const tree: PlaceTree = new NameTree();
  tree.add(name, sandbox);
  return tree;
}

/** Returns absolute paths. Folders are opened by their names, which may be links. */
function placesBelow(root: string, tree: PlaceTree): [at: string, sandbox: FoundSecret["sandbox"]][] {
  const places: [string, FoundSecret["sandbox"]][] = [];
  const open = [{ folder: root, nodes: [tree] }];
  for (let next = open.shift(); next; next = open.shift()) {
    const { folder, nodes } = next;
    for (const name of attempt(() => readdirSync(folder), [])) {
      const after = nodes.flatMap((node) => node.after(name.toLowerCase()));
      const kinds = after.flatMap(({ kind }) => kind ?? []);
      const at = path.join(folder, name);
      if (kinds.length > 0) places.push([at, kinds.includes("hidden") ? "hidden" : "visible"]);
      // What is visible as a whole may hold what is not.
      const below = after.filter((node) => !node.isLeaf);
      if (below.length > 0 && !kinds.includes("hidden")) open.push({ folder: at, nodes: below });
    }
  }
  return places;
}

function placeAt(at: string, sandbox: SecretPlaces["sandbox"]): FoundSecret | undefined {
  return attempt(() => {
    const real = realpathSync.native(at);
    return { at, real, isFolder: lstatSync(real).isDirectory(), sandbox };
  }, undefined);
}
