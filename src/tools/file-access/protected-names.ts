/** Files that ask each time, known by their names alone: at any depth, in any case, folders with all that is in them. Pure. */

/** Globs of one segment or more; `*` stays within a segment. */
const secretNames: readonly string[] = [
  // What programs are started with.
  ...[".env*", "*.env", ".dev.vars", "local.settings.json", "*.tfvars", "*.tfvars.json", "*.tfstate", "*.tfstate.*"],
  // Private keys, and what holds them.
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
  ...[".codex/auth.json", ".bash_history", ".zsh_history", ".psql_history", ".mysql_history"],
];

/** What is named like a secret, and shows only what one would look like. */
const exampleNames = /(?<=^|\/)(?:\.env[^/]*[._-]|)(?:example|sample|template|tmpl|dist)(?:\.env|)(?=\/|$)/gi;

/** Of the system: passwords, and what other programs were started with. */
const systemSecrets = /^\/(?:etc\/g?shadow-?|proc\/(?:.*\/)?(?:environ|mem|kcore|auxv))$/i;

/** What decides what an agent may do, or runs by itself. */
const settingsNames: readonly string[] = [
  ...[".rondo", ".rondoignore", ".claude", ".claude.json", ".cursor", ".mcp.json", "agent.md"],
  ...[".vscode", "*.code-workspace", ".devcontainer", ".devcontainer.json"],
  ...[".git", ".gitconfig", ".config/git", ".gitmodules", ".husky", ".githooks"],
  ...[".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml", ".ripgreprc"],
  ...[".profile", ".bashrc", ".bash_profile", ".bash_login", ".zshrc", ".zshenv", ".zprofile"],
];

/** What makes a folder a repository, whose settings git would follow. */
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

/** As `isSecret`, of a name alone, quickly. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) ? isSecret(name) : !isAscii.test(name) && isSecret(name);
}

/** `path`: inside a workspace's folder relative to it, else absolute. */
export function isControlFile(path: string): boolean {
  const plain = plainPath(path);
  return settingsPath.test(plain) || repositoryHead.test(plain);
}

/** ripgrep's arguments that leave out most secrets, and nothing else. What they miss, its answer is to be searched for. */
export const withoutSecrets: readonly string[] = [
  ...[".env", ".envrc", ".env.local", ".env.*.local", ".env.{development,production,staging,test}"],
  ...secretNames.filter((name) => name !== ".env*" && name !== "*.env"),
].map((name) => `--iglob=!${name.includes("/") ? `**/${name}` : name}`);

/** ripgrep's arguments that leave all but those files that may be secrets or name what is ignored; ignore files still count. */
export const onlyProtected: readonly string[] = [
  ...[...secretNames, ".rondoignore"].map((name) => `--type-add=guard:${ripgrepName(name)}`),
  "--type=guard",
];

/** ripgrep's types know names only, and their case counts. Of a folder all that is in it is meant. */
function ripgrepName(name: string): string {
  const last = name.slice(name.lastIndexOf("/") + 1);
  return last.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

function escaped(glob: string): string {
  return glob.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*");
}

function pathRegExp(names: readonly string[]): RegExp {
  // Those that only end alike are looked for at once: each by itself would go over every segment again.
  const endings = names.filter((name) => /^\*[^*/]+$/.test(name)).map((name) => escaped(name.slice(1)));
  const others = names.filter((name) => !/^\*[^*/]+$/.test(name)).map(escaped);
  const all = [...others, ...(endings.length > 0 ? [`[^/]*(?:${endings.join("|")})`] : [])];
  // Windows drops dots and spaces at the end of a name, and opens `name:stream` as a part of it.
  return new RegExp(`(?:^|/)(?:${all.join("|")})[. ]*(?:[/:]|$)`, "i");
}

/** As file systems compare names: without what the eye does not see, wide and composed letters as usual ones. */
function plainPath(path: string): string {
  const slashed = path.replaceAll("\\", "/");
  if (isAscii.test(slashed)) return slashed;
  return slashed.normalize("NFKC").replace(/[\p{Cf}\p{Mn}\p{Cc}]/gu, "");
}
