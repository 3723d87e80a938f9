/** Every name that protects a file, alone and below folders, and names that are close to one. */
import assert from "node:assert/strict";
import { secretPlaces, usualSecrets } from "../../src/base/secret-places.ts";
import {
  isControlFile,
  isSecret,
  isSecretName,
  usualHomeSettings,
} from "../../src/tools/file-access/protected-names.ts";
import { TestWorkspace } from "./workspace.ts";

/** A file or folder for each name; the last ones need the folders above them. */
const secrets = [
  ...[".env", ".envrc", ".env.local", ".env-old", "prod.env", ".dev.vars", "local.settings.json", "prod.tfvars"],
  ...["prod.tfvars.json", "terraform.tfstate", "terraform.tfstate.backup"],
  ...["server.pem", "server.key", "a.p12", "a.pfx", "a.jks", "a.keystore", "a.ppk", "vault.kdbx", "vault.kdb"],
  ...["login.keychain", "login.keychain-db", "id_rsa", "id_dsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519"],
  ...["id_ed25519_sk", ".ssh", ".gnupg", ".password-store", "credentials.json", ".credentials.json"],
  ...["application_default_credentials.json", "client_secret.json", "client_secret_1.json", "service-account.json"],
  ...["service-account-1.json", "service_account.json", "service_account_1.json", "credentials.tfrc.json"],
  ...["secret.json", "secret.toml", "secret.yml", "secret.yaml"],
  ...["secrets.json", "secrets.toml", "secrets.yml", "secrets.yaml"],
  ...[".netrc", "_netrc", ".git-credentials", ".npmrc", ".pypirc", ".htpasswd", ".pgpass", ".my.cnf", ".mylogin.cnf"],
  ...[".s3cfg", ".boto", "rclone.conf", ".vault-token", ".dockercfg", ".dockerconfigjson", ".azure", "kubeconfig"],
  ...["prod.kubeconfig", ".bash_history", ".zsh_history", ".psql_history", ".mysql_history"],
];
const secretPaths = [
  ...["library/keychains", ".local/share/keyrings", ".config/git/credentials", ".aws/credentials", ".aws/sso"],
  ...[".config/gcloud", ".kube/config", ".docker/config.json", ".config/gh/hosts.yml", ".config/hub"],
  ...[".gem/credentials", ".composer/auth.json", ".cargo/credentials", ".cargo/credentials.toml"],
  ...[".m2/settings.xml", ".m2/settings-security.xml", ".codex/auth.json"],
];
const settings = [
  ...[".rondo", ".rondoignore", ".claude", ".claude.json", ".mcp.json", "agent.md", "agents.md", "agents.override.md"],
  ...["claude.md", "claude.local.md", "gemini.md", ".gemini", ".codex", ".cursor", ".cursorrules", ".windsurf"],
  ...[".windsurfrules", ".clinerules", ".roo", ".roorules", ".continue", ".junie", ".kiro", ".amazonq", ".agents"],
  ...[".aider.conf.yml", ".opencode", "opencode.json", "opencode.jsonc", ".vscode", "my.code-workspace"],
  ...[".devcontainer", ".devcontainer.json", ".idea", ".zed", ".fleet", ".exrc", ".vimrc", ".nvimrc", ".nvim.lua"],
  ...[".dir-locals.el", ".git", ".gitconfig", ".gitmodules", ".husky", ".githooks", ".pre-commit-config.yaml"],
  ...["lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook-local.yml", ".overcommit.yml"],
  ...[".lintstagedrc", ".lintstagedrc.json", "lint-staged.config.js", ".simple-git-hooks.cjs", "simple-git-hooks.js"],
  ...[".gitlab-ci.yml", ".circleci", "jenkinsfile", "azure-pipelines.yml", "azure-pipelines-1.yml"],
  ...["azure-pipelines.yaml", ".azure-pipelines", "bitbucket-pipelines.yml", ".travis.yml", ".drone.yml"],
  ...[".woodpecker", ".woodpecker.yml", ".buildkite", "appveyor.yml", ".appveyor.yml", ".cirrus.yml"],
  ...["cloudbuild.yaml", "cloudbuild.yml", ".semaphore", ".teamcity", ".gitpod.yml", ".yarnrc", ".yarnrc.yml"],
  ...[".pnpmfile.cjs", ".pnpmfile.mjs", "pnpmfile.js", "bunfig.toml", "sitecustomize.py", "usercustomize.py"],
  ...[".ripgreprc", ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".zshrc"],
  ...[".zshenv", ".zprofile", ".zlogin", ".zlogout", ".xprofile"],
];
const settingsPaths = [
  ...[".github/copilot-instructions.md", ".github/instructions", ".github/prompts", ".github/agents"],
  ...[".github/chatmodes", ".github/hooks", ".github/workflows", ".github/actions", ".gitea/workflows"],
  ...[".forgejo/workflows", ".yarn/plugins", ".yarn/releases", ".cargo/config", ".cargo/config.toml"],
  ...[".config/git", ".config/fish", ".config/autostart", ".config/systemd"],
];

/** Returns the names of which the test does not say `expected`. */
const others = (names: readonly string[], test: (name: string) => boolean, expected = true) =>
  names.filter((name) => test(name) !== expected);

/** The forms of a name that mean the same file, or a file in the folder of that name. */
const forms = (name: string) => [
  ...[name, `a/${name}`, `/a/b c/${name}`, `a\\${name.replaceAll("/", "\\")}`, `${name}/x`, `a/${name}/x/y.ts`],
  ...[name.toUpperCase(), `${name}.`, `${name} `, `${name}. .`, `${name}:x`, `${name}./x`],
];

describe("T8 names that protect a file", () => {
  it("secrets, in each form", () => {
    assert.deepEqual(others([...secrets, ...secretPaths].flatMap(forms), isSecret), []);
  });

  it("places of the one list, in each form, in a home folder", () => {
    const below = (at: "any" | "home" | "programs") =>
      secretPlaces()
        .filter((one) => one.at === at)
        .flatMap(({ places }) => Object.keys(places));
    const all = [...below("any"), ...below("home"), ...below("programs").map((name) => `.config/${name}`)];
    const real = all.map((name) => `/home/u/${name.replaceAll("*", "a")}`);
    const inEachForm = real.flatMap((name) => [
      name,
      `${name}/x`,
      name.toUpperCase(),
      name.replaceAll("/", "\\"),
      `${name}.`,
    ]);
    assert.deepEqual(others(inEachForm, isSecret), []);
    assert.deepEqual(
      others(
        inEachForm.map((name) => `${name}:x`),
        isSecret,
      ),
      [],
    );
  });

  it("examples of usual secrets and settings are such", () => {
    assert.deepEqual(
      others(
        usualSecrets().map((name) => `/root/${name}`),
        isSecret,
      ),
      [],
    );
    assert.deepEqual(others(usualHomeSettings, isControlFile), []);
  });

  it("files that control execution, in each form", () => {
    assert.deepEqual(others([...settings, ...settingsPaths].flatMap(forms), isControlFile), []);
    assert.deepEqual(others(["HEAD", "a/HEAD", "a\\head", "HEAD.", "HEAD ", "HEAD:x"], isControlFile), []);
  });

  it("secrets by the name alone", () => {
    assert.deepEqual(others(secrets, isSecretName), []);
    const disguised = ["．env", ".e\u200bnv", ".ｅnv", "server.ｐem", ".e\ufe0fnv", ".e\u0001nv", "id_rsa\u202e"];
    assert.deepEqual(others(disguised, isSecretName), []);
    assert.deepEqual(
      others(["config.json", ".env.example", "é.ts", "a\u200b.ts", "hosts.yml"], isSecretName, false),
      [],
    );
  });

  it("of the system, at their absolute paths only", () => {
    const real = ["/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-", "/ETC/SHADOW", "/proc/1/environ"];
    const processes = ["/proc/self/mem", "/proc/kcore", "/proc/1/auxv", "/proc/1/task/2/environ"];
    assert.deepEqual(others([...real, ...processes], isSecret), []);
    const plain = ["etc/shadow", "/x/etc/shadow", "/etc/shadows", "/etc/shadow/x", "/etc/passwd", "/etc/hshadow"];
    const open = ["proc/1/environ", "/x/proc/1/environ", "/proc/1/status", "/proc/1/environs", "/proc/1/xmem"];
    assert.deepEqual(others([...plain, ...open], isSecret, false), []);
  });

  it("not those of examples", () => {
    const kinds = ["example", "sample", "template", "tmpl", "dist"];
    const examples = kinds.flatMap((kind) => [
      ...[`.env.${kind}`, `.env-${kind}`, `.env_${kind}`, `.env.local.${kind}`, `${kind}.env`, `a/.env.${kind}`],
      ...[`.ENV.${kind.toUpperCase()}`, `.env.${kind}/x`, `a/${kind}.env/x`],
    ]);
    assert.deepEqual(others(examples, isSecret, false), []);
    const real = kinds.flatMap((kind) => [
      ...[`.env.${kind}s`, `.env.${kind}.local`, `.env${kind}`, `${kind}/.env`, `${kind}/prod.env`, `my${kind}.env`],
      ...[`${kind}.pem`, `.env.${kind}/.env`, `${kind}.env/server.key`, `.env/${kind}`],
    ]);
    assert.deepEqual(others(real, isSecret), []);
  });

  it("only as a whole: with another letter they are ordinary", () => {
    const near = [
      ...["env", "dotenv", "a.envs", "xdev.vars", "local.settings.jsons", "a.tfvarsx", "a.tfstates", "tfstate"],
      ...["server.pems", "xpem", "serverxkey", "server.keys", "a.p123", "axp12", "a.kdbxx", "vault.keychai"],
      ...["id_rsa.pub", "id_rsax", "idxrsa", "id_ecdsa_s", "x.ssh", ".sshx", "xgnupg", "my.gnupg", ".password-stores"],
      ...["credentialsxjson", "mycredentials.json", "credentials.jsonx", "application_default_credentialsxjson"],
      ...["client_secretxjso", "client_secret/a.json", "service-account/a.json", "service_account/a.json"],
      ...["xsecret.json", "secretxjson", "secret.jsonc", "secretsxyml", "mysecrets.yml", "secrets.ymls"],
      ...["xnetrc", "a.netrc", ".netrcx", "__netrc", "xnpmrc", ".npmrcs", "x.pypirc", "rclonexconf", "arclone.conf"],
      ...["kubeconfigs", "mykubeconfig", "xkubeconfigx", "bash_history", "x.bash_history", ".bash_historyx"],
      ...["library/keychainsx", "xlibrary/keychains", "library/x/keychains", "local/share/keyrings", ".aws/configs"],
      ...["aws/credentials", ".awsx/credentials", ".kube/configs", ".docker/configxjson", ".docker/config.json5"],
      ...["config/gh/hosts.yml", ".config/ghx", ".config/hubs", ".config/gitx/credentials", ".m2/settingsxxml"],
      ...[".cargo/credentialsx", ".codex/authxjson", ".codex/auth.jsons", ".gem/credentialsx", "gem/credentials"],
    ];
    assert.deepEqual(others(near, isSecret, false), []);
    const open = [
      ...["rondo", "x.rondo", ".rondos", "claude", "agentxmd", "xagents.md", "agents.mdx", "agents-override.md"],
      ...["claudexmd", "gemini.mdx", "xgemini", ".codexx", "x.codex", "cursor", ".cursorx", "windsurf", "roo", ".root"],
      ...["continue", "agents", ".agentsx", "opencodexjson", "opencode.json5", "code-workspace", "a.code-workspaces"],
      ...["vscode", ".vscodes", "idea", "git", "my.git", ".github", ".gitignore", ".gitattributes", "husky"],
      ...["lefthookxyml", "lefthook.ymlx", "mylefthook.yml", "lint-staged.config", "xlintstagedrc", "simple-git-hooks"],
      ...["gitlab-ci.yml", "jenkinsfile2", "myjenkinsfile", "azure-pipelines/a.yml", "azure-pipelinesxyaml"],
      ...["appveyorxyml", "myappveyor.yml", "cloudbuildxyml", "woodpecker", "yarnrc", ".yarnrcs", "bunfigxtoml"],
      ...["sitecustomizexpy", "mysitecustomize.py", "profile", ".profiles", "bashrc", ".zshrcx", "xprofile"],
      ...[".github/copilot-instructionsxmd", ".github/instruction", "github/workflows", ".githubx/workflows"],
      ...[".github/workflowsx", "x.github/workflows", ".yarn/plugin", ".yarn/cache", "yarn/releases", ".cargo/configs"],
      ...[
        "cargo/config",
        ".config/fishy",
        ".config/gitk",
        "config/git",
        ".config/systemdx",
        "HEADS",
        "xHEAD",
        "HEAD/x",
      ],
    ];
    assert.deepEqual(others(open, isControlFile, false), []);
  });

  it("secrets, each left out of a search and counted", async () => {
    const work = new TestWorkspace();
    try {
      const all = [...secrets, ...secretPaths];
      // Each in a folder of its own, since some are folders of others.
      for (const [at, name] of all.entries()) work.put(`${at}/${at % 2 ? name : name.toUpperCase()}`, "hit\n");
      work.put("a.txt", "hit\n");
      const { output } = await work.run("grep", { pattern: "hit" });
      assert.match(output, new RegExp(`^a\\.txt\n\\(${all.length} files are not searched`));
    } finally {
      work.dispose();
    }
  });
});
