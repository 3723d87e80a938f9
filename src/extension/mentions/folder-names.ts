/** The names of a workspace's folders before the paths of their files, where there are several. */

/**
 * Returns a name for each folder, without "/", no two alike: a path says by its first part in which folder it is.
 * `name`: as VS Code calls it, which a workspace file may choose; `path`: with "/".
 */
export function folderNames(folders: readonly { name: string; path: string }[]): string[] {
  const plain = folders.map(({ name, path }) => lastPart(name) || lastPart(path) || "folder");
  const taken = new Set<string>();
  return folders.map(({ path }, at) => {
    const name = plain[at] ?? "";
    const parent = lastPart(path.slice(0, path.lastIndexOf("/")));
    const isShared = plain.filter((other) => other === name).length > 1;
    const wanted = isShared && parent !== "" ? `${name} (${parent})` : name;
    let unique = wanted;
    for (let count = 2; taken.has(unique); count++) unique = `${wanted} (${count})`;
    taken.add(unique);
    return unique;
  });
}

function lastPart(path: string): string {
  return (path.split("/").findLast((part) => part.trim() !== "") ?? "").trim();
}
