/** Files that are protected by name: in any letter case, folders with all their content. Pure. */
import { stateFolders } from "../../base/editor-folders.ts";
import { lazily } from "../../base/lazily.ts";
import { NameTree, namesOfPath } from "../../base/name-tree.ts";
import { innerHomes, programFolders, secretPlaceNames, usualSecrets } from "../../base/secret-places.ts";

/** Names of examples that contain no secret. */
const exampleNames = /(?<=^|\/)(?:\.env[^/]*[._-]|)(?:example|sample|template|tmpl|dist)(?:\.env|)(?=\/|$)/gi;

/** Of a process, what it has open and where its files are (proc(5)). `self` is the command itself. */
const ofProcess = "(?!self\\/|thread-self\\/)[^/]+\\/(?:task\\/[^/]+\\/)?(?:fd|map_files|root|cwd)\\/.+";

/** The memory and environments of processes, memory and disks of the system, dumped memory. */
const ofKernel = new RegExp(
  `^\\/(?:proc\\/(?:(?:.*\\/)?(?:environ|mem|kcore|auxv)|${ofProcess})|dev\\/(?:k?mem|port|(?:sd|vd|xvd|hd)[a-z]+\\d*|nvme\\d+n.*|mmcblk\\d.*|dm-\\d+|mapper\\/.+|disk\\/.+))$|(?:^|\\/)core\\.\\d+$`,
  "i",
);

/**
 * Files that control execution: what an agent is told and may do, and what runs without being started. What runs only
 * when the user builds or tests (`conftest.py`, `Makefile`) is not among them.
 */
const settingsNames: readonly string[] = [
  // Agents.
  ...[".rondo", ".rondoignore", ".claude", ".claude.json", ".mcp.json", "agent.md", "agents.md", "agents.override.md"],
  ...["claude.md", "claude.local.md", "gemini.md", ".gemini", ".codex", ".cursor", ".cursorrules", ".windsurf"],
  ...[".windsurfrules", ".clinerules", ".roo", ".roorules", ".continue", ".junie", ".kiro", ".amazonq", ".agents"],
  ...[".aider.conf.yml", ".github/copilot-instructions.md", ".github/instructions", ".github/prompts"],
  ...[".github/agents", ".github/chatmodes", ".github/hooks", ".opencode", "opencode.json", "opencode.jsonc"],
  // Editors.
  ...[".vscode", "*.code-workspace", ".devcontainer", ".devcontainer.json", ".idea", ".zed", ".fleet"],
  ...[".exrc", ".vimrc", ".nvimrc", ".nvim.lua", ".dir-locals.el"],
  ...stateFolders,
  // Git and its hooks.
  ...[".git", ".gitconfig", ".config/git", ".gitmodules", ".husky", ".githooks", ".pre-commit-config.yaml"],
  ...["lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook-local.yml", ".overcommit.yml"],
  ...[".lintstagedrc*", "lint-staged.config.*", ".simple-git-hooks.*", "simple-git-hooks.*"],
  // Continuous integration.
  ...[".github/workflows", ".github/actions", ".gitea/workflows", ".forgejo/workflows", ".gitlab-ci.yml", ".circleci"],
  ...["jenkinsfile", "azure-pipelines*.yml", "azure-pipelines*.yaml", ".azure-pipelines", "bitbucket-pipelines.yml"],
  ...[".travis.yml", ".drone.yml", ".woodpecker*", ".buildkite", "appveyor.yml", ".appveyor.yml", ".cirrus.yml"],
  ...["cloudbuild.yaml", "cloudbuild.yml", ".semaphore", ".teamcity", ".gitpod.yml"],
  // What package managers and interpreters run each time they start.
  ...[".yarnrc", ".yarnrc.yml", ".yarn/plugins", ".yarn/releases", ".pnpmfile.cjs", ".pnpmfile.mjs", "pnpmfile.js"],
  ...["bunfig.toml", ".cargo/config", ".cargo/config.toml", "sitecustomize.py", "usercustomize.py", ".ripgreprc"],
  // Shells and sessions.
  ...[".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".zshrc", ".zshenv"],
  ...[".zprofile", ".zlogin", ".zlogout", ".xprofile", ".config/fish", ".config/autostart", ".config/systemd"],
];

/** Files that control execution, which usually exist or can be created. */
export const usualSettings: readonly string[] = [
  ...[".vscode/settings.json", ".vscode/tasks.json", ".vscode/launch.json", ".vscode/mcp.json", ".mcp.json"],
  ...[".git/config", ".git/hooks/pre-commit", ".git/hooks/post-checkout", ".git/info/attributes", ".husky/pre-commit"],
  ...[
    ".rondo/settings.json",
    ".rondo/agents/a.md",
    ".rondoignore",
    ".claude/settings.json",
    ".devcontainer/devcontainer.json",
  ],
  ...[".config/Code/User/settings.json", ".config/Code/User/keybindings.json", ".config/Code/User/mcp.json"],
  ...[".config/Code/User/globalStorage/storage.json", ".vscode-server/data/Machine/settings.json"],
  ".local/state/rondo/sessions/a.jsonl",
  ...[".gitconfig", ".bashrc", ".profile", ".zshrc", ".bash_profile", ".gitmodules", ".pre-commit-config.yaml"],
];

/** Those of the home folder alone: in any other folder, each name without a dot could be the first. */
export const usualHomeSettings: readonly string[] = [
  ...usualSettings,
  "Library/Application Support/Code/User/settings.json",
];

/** A HEAD file makes its folder a repository whose settings git follows. */
const repositoryHead = /(?:^|\/)HEAD[. ]*(?::|$)/i;

const isAscii = /^[ -~]*$/;

/** The secret places, by where they are. */
const secrets = lazily(() => {
  const names = secretPlaceNames("any");
  const programs = NameTree.of(secretPlaceNames("programs"));
  const home = NameTree.of(secretPlaceNames("home"));
  for (const inner of innerHomes) home.graft(inner, home);
  const anywhere = NameTree.of(names);
  for (const folder of programFolders) anywhere.graft(folder, programs);
  const system = secretPlaceNames("system").map((name) => name.slice(1));
  return {
    anywhere,
    home,
    programs,
    /** Those that a name alone tells. */
    nameAlone: NameTree.of(names.filter((name) => !name.includes("/"))),
    systemFiles: NameTree.of(system.filter((name) => !name.endsWith("/"))),
    systemFolders: NameTree.of(system.filter((name) => name.endsWith("/")).map((name) => name.slice(0, -1))),
  };
});

/** Home folders by their usual paths, also on other disks and shares, and as `~name`. A container may have it at `/`. */
const homes =
  /^(?:(?:\/(?:mnt|media|volumes|host|hostfs|rootfs|run\/media|backups?)(?:\/[^/]+){0,3}|\/\/[^/]+\/[^/]+|\/private|[a-z]:|\/[a-z]|\/var|\/usr|\/export)?\/(?:users\/[^/]+|home\/[^/]+|root)|\/?~[^/]*|)\/(?=[^/])/i;

/** macOS keeps `/etc` and `/var` in `/private`; a disk of Windows has a letter. */
const systemRoot =
  /^(?:\/private(?=\/)|[a-z]:|\/mnt\/[a-z](?=\/)|\/[a-z](?=\/windows\/))?\/(?=(?:etc|run|var|library|windows)\/)/i;
/** Where a name without a dot can be secret because of its folder. */
const oddName =
  /\/(?:[._]|(?:library|appdata|snap)(?:\/|$))|^(?:\/private|[a-z]:|\/mnt\/[a-z]|\/[a-z])?\/(?:etc|run|var|windows|proc|dev)(?:\/|$)/i;

const settings = lazily(() => NameTree.of(settingsNames));

/** `path` may be absolute or relative, with `/` or `\`. */
export function isSecret(path: string): boolean {
  const plain = plainPath(path);
  const { names, streams } = namesOfPath(plain);
  if (ofKernel.test(plain) || isSecretPath(plain, names)) return true;
  return streams !== undefined && isSecretPath(plain, streams);
}

function isSecretPath(path: string, names: readonly string[]): boolean {
  const { anywhere, home: inHome, systemFiles, systemFolders } = secrets();
  if (anywhere.holdsIn(names)) {
    const real = path.replace(exampleNames, "");
    if (real === path || isAnywhere(anywhere, real)) return true;
  }
  const home = startAfter(homes, path);
  if (home > 0 && inHome.holds(names, home)) return true;
  const root = startAfter(systemRoot, path);
  if (root === 0) return false;
  // What is below one of the system's files does not exist.
  return (
    systemFolders.holds(names, root) || (systemFiles.holds(names, root) && !systemFiles.holds(names.slice(0, -1), root))
  );
}

/** Returns the index of the name that follows a begin of a path; 0 if it does not begin so. */
function startAfter(begin: RegExp, path: string): number {
  return (begin.exec(path)?.[0].split("/").length ?? 1) - 1;
}

/** As `isSecret`, for a file name without folders. Fast. */
export function isSecretName(name: string): boolean {
  return isAnywhere(secrets().nameAlone, name) ? isSecret(name) : !isAscii.test(name) && isSecret(name);
}

/** Whether a path from a home folder (`home`), or from a folder in which programs keep their files, is secret. */
export function isSecretBelow(kind: "home" | "programs", path: string): boolean {
  const { names, streams } = namesOfPath(plainPath(path));
  const tree = secrets()[kind];
  return tree.holds(names) || (streams !== undefined && tree.holds(streams));
}

/** Whether a file in the folder may be secret although its name is not. `folder`: absolute. */
export function mayHoldSecrets(folder: string): boolean {
  return oddName.test(folder.replaceAll("\\", "/"));
}

function isAnywhere(tree: NameTree, path: string): boolean {
  const { names, streams } = namesOfPath(path);
  return tree.holdsIn(names) || (streams !== undefined && tree.holdsIn(streams));
}

/** `path` is relative inside a workspace folder, else absolute. */
export function isControlFile(path: string): boolean {
  const plain = plainPath(path);
  return isAnywhere(settings(), plain) || repositoryHead.test(plain);
}

/** Arguments for ripgrep that exclude most secrets and nothing else; the rest must be removed from its output. */
export const withoutSecrets = lazily((): readonly string[] =>
  [
    ...[".env", ".envrc", ".env.local", ".env.*.local", ".env.{development,production,staging,test}"],
    ...secretPlaceNames("any").filter((name) => name !== ".env*" && name !== "*.env"),
  ].map((name) => `--iglob=!${name.includes("/") ? `**/${name}` : name}`),
);

/** Arguments for ripgrep that list only possible secrets and `.rondoignore` files; ignore files still apply. */
export const onlyProtected = lazily((): readonly string[] =>
  [
    ...new Set(
      [...(["any", "home", "programs"] as const).flatMap((at) => secretPlaceNames(at)), ...usualSecrets()].map(
        ripgrepName,
      ),
    ),
    ripgrepName(".rondoignore"),
  ]
    .map((name) => `--type-add=protected:${name}`)
    .concat("--type=protected"),
);

/** ripgrep's types match file names only, and case-sensitively. */
function ripgrepName(name: string): string {
  const last = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  return last.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** Normalizes a path as file systems compare names: without invisible characters, in NFKC. */
export function plainPath(path: string): string {
  const slashed = path.replaceAll("\\", "/");
  if (isAscii.test(slashed)) return slashed;
  return slashed.normalize("NFKC").replace(/[\p{Cf}\p{Mn}\p{Cc}]/gu, "");
}
