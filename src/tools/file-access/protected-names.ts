/** Files that are protected by name: at any depth, in any letter case, folders with all their content. Pure. */

/** Globs; `*` does not match `/`. */
const secretNames: readonly string[] = [
  // Environments of programs.
  ...[".env*", "*.env", ".dev.vars", "local.settings.json", "*.tfvars", "*.tfvars.json", "*.tfstate", "*.tfstate.*"],
  // Private keys and key stores.
  ...["*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdbx", "*.kdb", "*.keychain*"],
  ...["*_rsa", "*_dsa", "*_ecdsa", "*_ecdsa_sk", "*_ed25519", "*_ed25519_sk"],
  ...[".ssh", ".gnupg", ".password-store", "library/keychains", ".local/share/keyrings"],
  // Credentials.
  ...["credentials.json", ".credentials.json", "application_default_credentials.json", "client_secret*.json"],
  ...["service-account*.json", "service_account*.json", "credentials.tfrc.json"],
  ...["secret.json", "secret.toml", "secret.yml", "secret.yaml"],
  ...["secrets.json", "secrets.toml", "secrets.yml", "secrets.yaml"],
  ...[".netrc", "_netrc", ".git-credentials", ".config/git/credentials", ".npmrc", ".pypirc", ".htpasswd", ".pgpass"],
  ...[".my.cnf", ".mylogin.cnf", ".s3cfg", ".boto", "rclone.conf", ".vault-token", ".dockercfg", ".dockerconfigjson"],
  ...[".aws/credentials", ".aws/sso", ".azure", ".config/gcloud", ".kube/config", "kubeconfig", "*.kubeconfig"],
  ...[".docker/config.json", ".config/gh/hosts.yml", ".config/hub", ".gem/credentials", ".composer/auth.json"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".m2/settings.xml", ".m2/settings-security.xml"],
  // Where editors keep what extensions store as a secret.
  "state.vscdb*",
  ...[".codex/auth.json", ".bash_history", ".zsh_history", ".psql_history", ".mysql_history"],
];

/** Names of examples that contain no secret. */
const exampleNames = /(?<=^|\/)(?:\.env[^/]*[._-]|)(?:example|sample|template|tmpl|dist)(?:\.env|)(?=\/|$)/gi;

/** Of a process, what it has open and where its files are (proc(5)). `self` is the command itself. */
const ofProcess = "(?!self\\/|thread-self\\/)[^/]+\\/(?:task\\/[^/]+\\/)?(?:fd|map_files|root|cwd)\\/.+";

/** The system's passwords, its memory and disks, dumped memory, and the environments of other processes. */
const systemSecrets = new RegExp(
  `^\\/(?:etc\\/g?shadow-?|proc\\/(?:(?:.*\\/)?(?:environ|mem|kcore|auxv)|${ofProcess})|var\\/lib\\/(?:systemd\\/coredump|apport\\/coredump)(?:\\/.*)?|var\\/crash(?:\\/.*)?|dev\\/(?:k?mem|port|(?:sd|vd|xvd|hd)[a-z]+\\d*|nvme\\d+n.*|mmcblk\\d.*|dm-\\d+|mapper\\/.+|disk\\/.+))$|(?:^|\\/)core\\.\\d+$`,
  "i",
);

/** Editors that are VS Code or made from it: the folder with their settings, extensions' state and caches. */
export const editorNames: readonly string[] = [
  ...["Code", "Code - Insiders", "Code - Exploration", "Code - OSS", "code-oss-dev", "VSCodium", "VSCodium - Insiders"],
  ...["Cursor", "Windsurf", "Windsurf - Next", "Kiro", "Trae", "Antigravity", "Positron", "Void"],
];

/** Below the home folder: the state of editors, also on remote machines, and Rondo's own. */
export const stateFolders: readonly string[] = [
  ...editorNames.flatMap((name) => [
    `.config/${name}`,
    `Library/Application Support/${name}`,
    `AppData/Roaming/${name}`,
  ]),
  ...[".vscode", ".vscode-insiders", ".vscode-exploration", ".vscode-oss", ".vscode-oss-dev", ".vscode-remote"],
  ...[".vscode-server", ".vscode-server-insiders", ".vscode-server-exploration", ".vscode-server-oss", ".vscode-cli"],
  ...[".vscodium", ".vscodium-insiders", ".vscodium-server", ".vscodium-server-insiders", ".cursor", ".cursor-server"],
  ...[".windsurf", ".windsurf-next", ".windsurf-server", ".windsurf-next-server", ".kiro", ".kiro-server", ".trae"],
  ...[".trae-server", ".antigravity", ".antigravity-server", ".positron", ".positron-server", ".void-editor"],
  ...[".openvscode-server", ".local/share/code-server", ".config/code-server", ".local/share/openvscode-server"],
  ...[".local/state/rondo", "Library/Application Support/rondo", "AppData/Local/rondo", ".rondo"],
];

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

/** A HEAD file makes its folder a repository whose settings git follows. */
const repositoryHead = /(?:^|\/)HEAD[. ]*(?::|$)/i;

const isAscii = /^[ -~]*$/;

const secretPath = pathRegExp(secretNames);
const secretName = pathRegExp(secretNames.filter((name) => !name.includes("/")));
const settingsPath = pathRegExp(settingsNames);

/** `path` may be absolute or relative, with `/` or `\`. */
export function isSecret(path: string): boolean {
  const plain = plainPath(path);
  return systemSecrets.test(plain) || (secretPath.test(plain) && secretPath.test(plain.replace(exampleNames, "")));
}

/** As `isSecret`, for a file name without folders. Fast. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) ? isSecret(name) : !isAscii.test(name) && isSecret(name);
}

/** `path` is relative inside a workspace folder, else absolute. */
export function isControlFile(path: string): boolean {
  const plain = plainPath(path);
  return settingsPath.test(plain) || repositoryHead.test(plain);
}

/** Arguments for ripgrep that exclude most secrets and nothing else; the rest must be removed from its output. */
export const withoutSecrets: readonly string[] = [
  ...[".env", ".envrc", ".env.local", ".env.*.local", ".env.{development,production,staging,test}"],
  ...secretNames.filter((name) => name !== ".env*" && name !== "*.env"),
].map((name) => `--iglob=!${name.includes("/") ? `**/${name}` : name}`);

/** Arguments for ripgrep that list only possible secrets and `.rondoignore` files; ignore files still apply. */
export function onlyProtected(): readonly string[] {
  typeArguments ??= [
    ...[...secretNames, ".rondoignore"].map((name) => `--type-add=protected:${ripgrepName(name)}`),
    "--type=protected",
  ];
  return typeArguments;
}

/** Made with the first search. */
let typeArguments: readonly string[] | undefined;

/** ripgrep's types match file names only, and case-sensitively. */
function ripgrepName(name: string): string {
  const last = name.slice(name.lastIndexOf("/") + 1);
  return last.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

function escaped(glob: string): string {
  return glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*");
}

function pathRegExp(names: readonly string[]): RegExp {
  // Endings share one alternative, so that each segment is scanned once.
  const endings = names.filter((name) => /^\*[^*/]+$/.test(name)).map((name) => escaped(name.slice(1)));
  const others = names.filter((name) => !/^\*[^*/]+$/.test(name)).map(escaped);
  const all = [...others, ...(endings.length > 0 ? [`[^/]*(?:${endings.join("|")})`] : [])];
  // Windows ignores dots and spaces at the end of a name, and opens `name:stream` as part of the file.
  return new RegExp(`(?:^|/)(?:${all.join("|")})[. ]*(?:[/:]|$)`, "i");
}

/** Normalizes a path as file systems compare names: without invisible characters, in NFKC. */
function plainPath(path: string): string {
  const slashed = path.replaceAll("\\", "/");
  if (isAscii.test(slashed)) return slashed;
  return slashed.normalize("NFKC").replace(/[\p{Cf}\p{Mn}\p{Cc}]/gu, "");
}
