/** The pattern that "Always allow" would add for a simple command: the program, its sub-command, and anything after. */
export function alwaysPattern(words: readonly string[]): string {
  const count = 1 + subCommands(words);
  const head = words.slice(0, count);
  const isModule = head[1] === "-m";
  if (head.length < count || (!isModule && head.some((word) => word.startsWith("-")))) return words.join(" ");
  return `${head.join(" ")} *`;
}

/** How many words after the program say what it does. */
function subCommands(words: readonly string[]): number {
  const [program = "", first = ""] = words;
  const isTwoLevels =
    /^(npm|pnpm|yarn|bun|deno) (run|task)$|^(docker|podman) (compose|container|image|volume|network|buildx)$|^python[\d.]* -m$/;
  if (isTwoLevels.test(`${program} ${first}`)) return 2;
  return withSubCommand.has(program) ? 1 : 0;
}

/** Interpreters are here for the name of their script. */
const withSubCommand = new Set(
  `git npm pnpm yarn bun deno npx bunx uvx cargo go docker podman kubectl helm pip pip3 pipx poetry uv conda dotnet make just
  gradle mvn terraform gh glab apt apt-get brew rustup composer bundle rake mix swift flutter dart nx turbo systemctl service
  node python python3 ruby perl php tsx ts-node sh bash zsh`.split(/\s+/),
);
