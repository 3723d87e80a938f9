/**
 * The one list of places that hold secrets: every mode asks before they are read or changed, and the sandbox hides most of
 * them. Where programs keep them was looked up in their documentation and sources; broad sources are the lists of firejail
 * (etc/inc/disable-common.inc, disable-programs.inc) and the XDG Base Directory Specification. Its texts are for programs and developers. Pure.
 */
import { stateFolders } from "./editor-folders.ts";
import { lazily } from "./lazily.ts";

export interface SecretPlaces {
  /**
   * `any`: in any folder, as the name alone tells. `home`: in a home folder only, since projects have such names, too.
   * `programs`: in one of `programFolders`, as systems, versions and packages disagree in which. `system`: absolute.
   */
  at: "any" | "home" | "programs" | "system";
  holds: string;
  /** `visible`: a program in the sandbox needs it, so it is only asked about. */
  sandbox: "hidden" | "visible";
  /**
   * Globs of files and folders; `*` does not match `/`. To each, files that are usually there: below it, or, where its
   * last name has a wildcard, instead of it.
   */
  places: Readonly<Record<string, readonly string[]>>;
  /** Variables that name a file or a folder of this kind, and what in it is secret ("" for all of it). */
  variables?: Readonly<Record<string, string>>;
}

/** Below a home folder: where programs keep their settings, data, state and caches. */
export const programFolders: readonly string[] = [
  // https://specifications.freedesktop.org/basedir-spec/latest/
  ...[".config", ".local/share", ".local/state", ".cache"],
  ...["Library/Application Support", "Library/Preferences", "Library/Caches"],
  ...["AppData/Roaming", "AppData/Local", "AppData/LocalLow"],
  // https://github.com/folder/xdg and xdg-app-paths, which Vercel and Wrangler use on Windows
  ...["AppData/Roaming/xdg.config", "AppData/Roaming/xdg.data", "AppData/Local/xdg.config", "AppData/Local/xdg.data"],
  // https://docs.flatpak.org/en/latest/sandbox-permissions.html
  ...[".var/app/*/config", ".var/app/*/data", ".var/app/*/cache"],
];

/**
 * Below a home folder: home folders of single applications (Flatpak) and of their versions (Snap).
 * https://snapcraft.io/docs/data-locations
 */
export const innerHomes: readonly string[] = [".var/app/*", "snap/*/*"];

/** Variables that name another such folder. */
export const programFolderVariables: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: ".config",
  XDG_DATA_HOME: ".local/share",
  XDG_STATE_HOME: ".local/state",
  XDG_CACHE_HOME: ".cache",
  APPDATA: "AppData/Roaming",
  LOCALAPPDATA: "AppData/Local",
};

/** Names without what is usually in them. */
const files = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, []]));

/** Programs that may keep what was typed into them in a folder of their own. */
const historyFolders = [
  ...["bash", "zsh", "sh", "ksh", "python", "node", "ipython", "irb", "php", "r", "psql", "pgcli", "mysql", "mycli"],
  ...["mariadb", "sqlite", "sqlite3", "litecli", "redis", "iredis", "duckdb", "usql", "mongosh", "gdb"],
];

export const secretPlaces = lazily((): readonly SecretPlaces[] => [
  {
    at: "any",
    holds: "environments of programs",
    sandbox: "visible",
    places: {
      ".env*": [".env", ".env.local"],
      "*.env": [],
      ...files(".dev.vars", "local.settings.json"),
      ...files("*.tfvars", "*.tfvars.json", "*.tfstate", "*.tfstate.*"),
    },
  },
  {
    at: "any",
    holds: "private keys and key stores",
    sandbox: "visible",
    places: {
      "*.pem": ["server.pem"],
      "*.key": ["server.key"],
      "*_rsa": ["id_rsa"],
      "*_ed25519": ["id_ed25519"],
      ...files("*.p12", "*.pfx", "*.p8", "*.jks", "*.jceks", "*.keystore", "*.ppk", "*.keytab", "*.agekey", "*.ovpn"),
      ...files("*.kdbx", "*.kdb", "*.keychain*", "*_dsa", "*_ecdsa", "*_ecdsa_sk", "*_ed25519_sk", "ssh_host_*_key"),
      ...files("krb5cc_*", "wallet.dat"),
    },
  },
  {
    at: "any",
    holds: "credentials in files of projects",
    sandbox: "visible",
    places: {
      ...files("credentials.json", ".credentials.json", "application_default_credentials.json", "client_secret*.json"),
      ...files("service-account*.json", "service_account*.json", "credentials.tfrc.json", "credentials-config.json"),
      ...files("secret.json", "secret.toml", "secret.yml", "secret.yaml"),
      ...files("secrets.json", "secrets.toml", "secrets.yml", "secrets.yaml"),
      ...files(".htpasswd", ".dockercfg", ".dockerconfigjson", "kubeconfig", "*.kubeconfig", "rclone.conf"),
      ...files(".vault_pass", ".vault_pass.txt", ".vault-pass", "oauth_creds.json", "mcp-oauth-tokens*.json"),
    },
    variables: { GOOGLE_APPLICATION_CREDENTIALS: "" },
  },
  {
    at: "any",
    holds: "keys, keyrings and password managers",
    sandbox: "hidden",
    places: {
      ".ssh": ["id_rsa", "id_ed25519", "config"],
      ".gnupg": ["private-keys-v1.d/a.key", "secring.gpg"],
      ".password-store": [],
      "library/keychains": ["login.keychain-db"],
      ".local/share/keyrings": ["login.keyring"],
      // https://specifications.freedesktop.org/secret-service-spec and KWallet, NSS, eCryptfs, fscrypt
      ...files(".gnome2/keyrings", ".kde/share/apps/kwallet", ".kde4/share/apps/kwallet", ".pki", ".ecryptfs"),
      ...files(".git-credential-cache", ".passage", ".lpass", ".google_authenticator", ".near-credentials"),
      // https://developer.1password.com/docs/cli/config-directories/
      ".op": ["config"],
      // https://learn.microsoft.com/en-us/windows/win32/seccng/key-storage-and-retrieval, DPAPI and Credential Manager
      ...files("appdata/roaming/microsoft/credentials", "appdata/roaming/microsoft/protect"),
      ...files("appdata/roaming/microsoft/vault", "appdata/roaming/microsoft/crypto"),
      ...files("appdata/roaming/microsoft/systemcertificates", "appdata/local/microsoft/credentials"),
      ...files("appdata/local/microsoft/vault", "appdata/local/microsoft/tokenbroker"),
    },
    variables: { GNUPGHOME: "", PASSWORD_STORE_DIR: "", OP_CONFIG_DIR: "" },
  },
  {
    at: "programs",
    holds: "keys, keyrings and password managers",
    sandbox: "hidden",
    places: {
      op: ["config"],
      "sops/age": ["keys.txt"],
      ...files(
        "age",
        "gnupg",
        "kwalletd",
        "gopass",
        "keepassxc",
        "lpass",
        "keybase",
        "python_keyring",
        "pki",
        "yubico",
      ),
      ...files("plasma-vault", "git/credential", "git-credential-manager", ".identityservice", "solana/id.json"),
      ...files("1password", "bitwarden", "bitwarden cli", "proton pass", "authy desktop", "ente auth", "dashlane-cli"),
    },
    variables: { SOPS_AGE_KEY_FILE: "" },
  },
  {
    at: "home",
    holds: "keys and wallets",
    sandbox: "hidden",
    places: {
      ...files(".age", ".step", ".tsh", ".gcm", ".private", ".cert", ".electrum", ".ethereum/keystore", ".bitcoin"),
      ...files(".foundry/keystores", ".android/adbkey", ".appstoreconnect", ".docker/trust"),
      ...files("library/group containers/2bua8c4s2c.com.1password", "library/group containers/*.bitwarden*"),
    },
  },
  {
    at: "any",
    holds: "logins of machines, code hosts and databases",
    sandbox: "hidden",
    places: {
      ...files(".netrc", "_netrc", ".git-credentials", ".pgpass", ".my.cnf", ".mylogin.cnf", ".s3cfg", ".boto"),
      ...files(".vault-token", ".pypirc", ".passwd-s3fs", ".smbcredentials", ".b2_account_info", ".databrickscfg"),
      ...files(".msmtprc", ".esmtprc", ".fetchmailrc", ".offlineimaprc", ".mbsyncrc", ".authinfo", ".authinfo.gpg"),
      ...files(".sentryclirc", ".cvspass", ".davfs2/secrets", ".subversion/auth", ".vnc/passwd"),
      ...files(".Xauthority*", ".ICEauthority*", ".esd_auth", ".pulse-cookie"),
    },
    variables: { NETRC: "", PGPASSFILE: "", XAUTHORITY: "", ICEAUTHORITY: "", BOTO_CONFIG: "" },
  },
  {
    at: "any",
    holds: "accounts of clouds, clusters and registries",
    sandbox: "hidden",
    places: {
      ".azure": ["msal_token_cache.json"],
      ...files(".aws/credentials", ".aws/config", ".aws/sso", ".aws/cli/cache", ".kube/config", ".docker/config.json"),
      ...files(".gem/credentials", ".composer/auth.json", ".cargo/credentials", ".cargo/credentials.toml"),
      ...files(".m2/settings-security.xml", ".pulumi/credentials.json", ".terraform.d/credentials.tfrc.json"),
      ...files(".sbt/.credentials", ".ivy2/.credentials", ".chef/credentials", ".snowsql/config"),
    },
    variables: {
      AWS_SHARED_CREDENTIALS_FILE: "",
      AWS_CONFIG_FILE: "",
      KUBECONFIG: "",
      DOCKER_CONFIG: "config.json",
      AZURE_CONFIG_DIR: "",
      CARGO_HOME: "credentials*",
      COMPOSER_HOME: "auth.json",
      PULUMI_HOME: "credentials.json",
    },
  },
  {
    at: "home",
    holds: "accounts of clouds, clusters and registries",
    sandbox: "hidden",
    places: {
      // Projects have `.aws/task-definition.json`, `.kube/deployment.yml`, `.vercel/project.json`, `.netlify/state.json`.
      ".aws": ["login/cache/a.json"],
      ".kube": ["cache/a"],
      ".oci": ["config"],
      ...files(
        ".terraformrc",
        ".terraform.d/credentials.d",
        ".aliyun",
        ".bluemix/config.json",
        ".tccli",
        ".talos",
        ".rancher",
      ),
      ...files(".minikube/profiles", ".argocd", ".awsvault", ".saml2aws", ".okta_aws_login_config", ".granted"),
      // flyctl: https://fly.io/docs/flyctl/; ngrok: https://ngrok.com/docs/agent/config/
      ".fly/config.yml": [],
      ".ngrok": [],
      ".ngrok2": ["ngrok.yml"],
      ".vercel/auth.json": [],
      ".now/auth.json": [],
      ".netlify/config.json": [],
      ".wrangler/config": ["default.toml"],
      ...files(
        ".supabase/access-token",
        ".railway/config.json",
        ".render",
        ".runpod",
        ".modal.toml",
        ".civo.json",
        ".ovh.conf",
      ),
      ...files(
        ".vultr-cli.yaml",
        ".cloudflared",
        ".snowflake/*.toml",
        ".kaggle",
        ".dbt/profiles.yml",
        ".expo/state.json",
      ),
      ...files(
        ".circleci/cli.yml",
        ".travis/config.yml",
        ".mc/config.json",
        ".jfrog/jfrog-cli.conf*",
        ".continuum",
        ".digitalocean",
        ".doppler",
      ),
      ...files(".huggingface/token", ".jupyter/jupyter_server_config.json", ".planetscale", ".stripe"),
      ...files(".platformio/appstate.json", ".src-config.json", "src-config.json", ".lftp", ".mutt"),
      ...files(".vscode/cli/token.json", ".vscode-cli/token.json", ".credentials", ".openai"),
    },
  },
  {
    at: "programs",
    holds: "accounts of clouds, clusters and registries",
    sandbox: "hidden",
    places: {
      gcloud: ["credentials.db", "access_tokens.db"],
      // https://cli.github.com/manual/gh_help_environment (GH_CONFIG_DIR); on Windows "GitHub CLI"
      gh: ["hosts.yml"],
      "github cli": ["hosts.yml"],
      hub: [],
      "git/credentials": [],
      "glab-cli": ["config.yml"],
      glab: ["config.yml"],
      ...files("tea", "jira-cli", "sourcegraph"),
      doctl: ["config.yaml"],
      hcloud: ["cli.toml"],
      ngrok: ["ngrok.yml"],
      fly: ["config.yml"],
      "com.vercel.cli": ["auth.json"],
      netlify: ["config.json", "config/config.json"],
      ".wrangler": ["config/default.toml"],
      stripe: ["config.toml"],
      rclone: ["rclone.conf"],
      "helm/registry": ["config.json"],
      "helm/repositories.yaml": [],
      "containers/auth.json": [],
      "composer/auth.json": [],
      "pypoetry/auth.toml": [],
      "uv/credentials": ["credentials.toml"],
      "huggingface/token": [],
      "huggingface/stored_tokens": [],
      ...files(
        "argocd",
        "linode-cli",
        "scw",
        "exoscale",
        "b2",
        "turso",
        "neonctl",
        "planetscale",
        "supabase",
        "railway",
      ),
      ...files("snowflake", "binstar", "openstack", "bk.yaml", "replicate", "vastai", "civo"),
      ...files("configstore/firebase-tools.json", "configstore/snyk.json"),
      ...files("gem/credentials", "jupyter/runtime", "terraform.rc", "terraform.d/credentials.tfrc.json"),
      ...files("openai", "anthropic", "protonvpn", "nextcloud/nextcloud.cfg", "syncthing/config.xml"),
      ...files("remmina", "filezilla/sitemanager.xml", "filezilla/recentservers.xml", "filezilla/filezilla.xml"),
      ...files("dbeaverdata", "httpie/sessions", "postman", "insomnia", "code-server/config.yaml"),
    },
    variables: {
      CLOUDSDK_CONFIG: "",
      GH_CONFIG_DIR: "",
      GLAB_CONFIG_DIR: "",
      RCLONE_CONFIG: "",
      REGISTRY_AUTH_FILE: "",
      HF_TOKEN_PATH: "",
      TF_CLI_CONFIG_FILE: "",
    },
  },
  {
    at: "any",
    holds: "logins of coding agents",
    sandbox: "hidden",
    places: {
      // https://docs.anthropic.com/en/docs/claude-code/iam, https://github.com/openai/codex/blob/main/docs/authentication.md
      ".claude/.credentials.json": [],
      ".codex/auth.json": [],
      ".codex/.credentials.json": [],
      // https://github.com/badlogic/pi-mono/blob/main/packages/coding-agent/README.md
      ".pi/agent/auth.json": [],
      // https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/config/storage.ts
      ".gemini/oauth_creds.json": [],
      ".gemini/google_accounts.json": [],
      ".gemini/gemini-credentials.json": [],
      ".gemini/mcp-oauth-tokens*.json": [".gemini/mcp-oauth-tokens.json"],
      ".qwen/oauth_creds.json": [],
      ".cursor/auth.json": [],
      ...files(".factory/auth.json", ".factory/auth.encrypted", ".grok/auth.json", ".augment/session.json"),
      ...files(".aider/oauth-keys.env", ".cline/data/secrets.json", ".kimi/credentials", ".ollama/id_ed25519"),
      ...files(".mcp-auth", ".hermes/auth.json", ".goose/secrets.yaml"),
    },
    variables: {
      CODEX_HOME: "auth.json",
      CLAUDE_CONFIG_DIR: ".credentials.json",
      PI_CODING_AGENT_DIR: "auth.json",
    },
  },
  {
    at: "home",
    holds: "settings of coding agents, with keys",
    sandbox: "hidden",
    places: {
      ...files(".copilot/config.json", ".copilot/mcp-oauth-config", ".factory/config.json", ".grok/user-settings.json"),
      ...files(".continue/config.json", ".continue/.env", ".aider.conf.yml", ".kimi/config.toml", ".claude.json"),
    },
  },
  {
    at: "programs",
    holds: "logins of coding agents",
    sandbox: "hidden",
    places: {
      "github-copilot": ["hosts.json", "apps.json"],
      "github copilot": ["hosts.json"],
      "gh-copilot": [],
      // https://opencode.ai/docs/providers/
      "opencode/auth.json": [],
      "opencode/mcp-auth.json": [],
      "cursor/auth.json": [],
      "crush/crush.json": [],
      "amp/secrets.json": [],
      "goose/secrets.yaml": [],
      "io.datasette.llm/keys.json": [],
      "kiro-cli/data.sqlite3": [],
      "amazon-q/data.sqlite3": [],
      ...files(
        "claude/claude_desktop_config.json",
        "claude/config.json",
        "claude/cookies*",
        "zed/development_credentials",
      ),
      ...files("shell_gpt/.sgptrc", "aichat/config.yaml", "mods/mods.yml"),
      ...files("warp-terminal/warp.sqlite"),
    },
  },
  {
    at: "any",
    holds: "what extensions of editors store as a secret",
    sandbox: "visible",
    places: { "state.vscdb*": [] },
  },
  {
    at: "home",
    holds: "what extensions of editors store as a secret",
    sandbox: "hidden",
    places: files(
      ...stateFolders.flatMap((name) =>
        ["", "data/"].flatMap((data) =>
          ["", "profiles/*/"].map((profile) => `${name}/${data}User/${profile}globalStorage/state.vscdb*`),
        ),
      ),
    ),
  },
  {
    at: "any",
    holds: "what was typed into shells, interpreters and databases",
    sandbox: "hidden",
    places: {
      // bash, zsh, ksh, python, node, ruby, php, scala, psql, mysql, mariadb, sqlite, redis, duckdb, clickhouse, lldb, …
      ".*_history": [".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history"],
      ".*-history": [".mycli-history"],
      ".*_hist": [],
      ...files(".histfile", ".zhistory", ".pythonhist", ".dbshell", ".lesshst", ".viminfo", ".rhistory"),
      ...files(
        ".ipython/profile_*/history.sqlite",
        ".julia/logs/repl_history.jl",
        ".mongodb/mongosh",
        ".ghc/ghci_history",
      ),
      ...files(".cassandra/cqlsh_history", ".zsh_sessions", ".bash_sessions", ".*.history"),
    },
    variables: {
      HISTFILE: "",
      PYTHON_HISTORY: "",
      NODE_REPL_HISTORY: "",
      PSQL_HISTORY: "",
      MYSQL_HISTFILE: "",
      SQLITE_HISTORY: "",
      REDISCLI_HISTFILE: "",
      LESSHISTFILE: "",
    },
  },
  {
    at: "home",
    holds: "what was typed into shells",
    sandbox: "hidden",
    // tcsh. Projects have a folder of this name: extensions of editors keep earlier versions of files in it.
    places: files(".history"),
  },
  {
    at: "programs",
    holds: "what was typed into shells, interpreters and databases",
    sandbox: "hidden",
    places: {
      "fish/*history": ["fish/fish_history"],
      "nushell/history.*": ["nushell/history.txt"],
      "powershell/psreadline": ["ConsoleHost_history.txt"],
      "microsoft/windows/powershell/psreadline": ["ConsoleHost_history.txt"],
      atuin: ["history.db", "key"],
      "*_history": ["python_history"],
      "nvim/shada": ["main.shada"],
      ...files("lesshst", "less/history", "less/lesshst", "psysh", "xonsh"),
      ...files(...historyFolders.flatMap((name) => [`${name}/history`, `${name}/*_history`])),
    },
  },
  {
    at: "programs",
    holds: "what was typed into other programs",
    // The sandbox does not look into the folder of each program.
    sandbox: "visible",
    places: files("*/history", "*/*_history", "*/history.db", "*/history.sqlite*"),
  },
  {
    at: "home",
    holds: "settings of package managers, which may hold tokens",
    sandbox: "visible",
    places: {
      ...files(".yarnrc.yml", ".bunfig.toml", ".pip/pip.conf", ".gradle/gradle.properties", ".nuget/nuget"),
      ...files(".condarc", ".bundle/config", ".curlrc", ".wgetrc", ".hgrc"),
    },
    variables: { NPM_CONFIG_USERCONFIG: "", npm_config_userconfig: "", PIP_CONFIG_FILE: "" },
  },
  {
    at: "any",
    holds: "settings of package managers, which may hold tokens",
    sandbox: "visible",
    // Without them, packages are taken from the wrong place.
    places: files(".npmrc", ".m2/settings.xml"),
  },
  {
    at: "programs",
    holds: "settings of package managers and shells, which may hold tokens",
    sandbox: "visible",
    places: files("pip/pip.conf", "pip/pip.ini", "pnpm/rc", "pnpm/auth.ini", "nuget", "fish/fish_variables"),
  },
  {
    at: "system",
    holds: "passwords and keys of the system",
    sandbox: "hidden",
    // Folders end with a slash.
    places: {
      ...files("/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/etc/gshadow-", "/etc/shadow+", "/etc/gshadow+"),
      ...files("/etc/master.passwd", "/etc/spwd.db", "/etc/security/opasswd", "/etc/krb5.keytab", "/etc/ipsec.secrets"),
      ...files("/etc/ssh/ssh_host_*_key", "/etc/ssl/private/", "/etc/pki/tls/private/", "/etc/letsencrypt/live/"),
      ...files("/etc/letsencrypt/archive/", "/etc/letsencrypt/keys/", "/etc/letsencrypt/accounts/", "/etc/wireguard/"),
      ...files(
        "/etc/openvpn/",
        "/etc/networkmanager/system-connections/",
        "/etc/wpa_supplicant/",
        "/etc/davfs2/secrets",
      ),
      ...files(
        "/etc/kubernetes/",
        "/etc/rancher/",
        "/etc/docker/key.json",
        "/etc/mysql/debian.cnf",
        "/etc/ppp/*-secrets",
      ),
      ...files("/etc/boto.cfg", "/etc/sssd/sssd.conf", "/var/lib/sss/secrets/", "/var/lib/networkmanager/secret_key"),
      ...files("/var/lib/rancher/*/server/", "/var/lib/kubelet/pki/", "/run/secrets/", "/var/run/secrets/"),
      ...files("/run/credentials/", "/library/keychains/", "/var/db/dslocal/nodes/*/users/", "/var/crash/"),
      ...files("/var/lib/systemd/coredump/", "/var/lib/apport/coredump/"),
      ...files("/windows/system32/config/*", "/windows/ntds/ntds.dit", "/windows/panther/unattend.xml"),
    },
  },
  // Browsers come last: their folders are large.
  {
    at: "any",
    holds: "cookies, logins and history of browsers and mail programs",
    sandbox: "hidden",
    places: {
      // https://support.mozilla.org/en-US/kb/profiles-where-firefox-stores-user-data
      ".mozilla": ["firefox/a.default/cookies.sqlite", "firefox/a.default/logins.json", "firefox/a.default/key4.db"],
      ...files(".librewolf", ".waterfox", ".floorp", ".zen", ".icecat", ".palemoon", ".moonchild productions"),
      ...files(".tor-browser", ".thunderbird", ".icedove", "cookies.sqlite*", "signons.sqlite", "key3.db", "key4.db"),
      ...files("login data", "login data for account", ".w3m/cookie", ".elinks/cookies", ".lynx_cookies"),
      // https://snapcraft.io/chromium keeps its profile beside `.config`.
      "snap/*/*/chromium": [],
    },
  },
  {
    at: "home",
    holds: "cookies, logins and history of Safari",
    sandbox: "hidden",
    places: files(
      ...["library/cookies", "library/safari", "library/containers/com.apple.safari*", "library/httpstorages"],
    ),
  },
  {
    at: "programs",
    holds: "cookies, logins and history of browsers",
    sandbox: "hidden",
    places: {
      // https://chromium.googlesource.com/chromium/src/+/HEAD/docs/user_data_dir.md; Chrome SxS is Canary.
      "google-chrome*": ["google-chrome/Default/Cookies", "google-chrome/Default/Login Data"],
      "google/chrome*": ["Google/Chrome/Default/Cookies", "Google/Chrome/User Data/Default/Network/Cookies"],
      chromium: ["Default/Cookies", "Default/Login Data"],
      bravesoftware: ["Brave-Browser/Default/Cookies"],
      "microsoft-edge*": ["microsoft-edge/Default/Cookies"],
      "microsoft edge*": ["Microsoft Edge/Default/Cookies"],
      "microsoft/edge*": ["Microsoft/Edge/User Data/Default/Network/Cookies"],
      mozilla: ["firefox/a.default/cookies.sqlite", "Firefox/Profiles/a.default/cookies.sqlite"],
      firefox: ["Profiles/a.default/cookies.sqlite"],
      ...files(
        "vivaldi*",
        "opera",
        "opera-*",
        "opera software",
        "com.operasoftware.*",
        "arc/user data",
        "thorium",
        "yandex",
      ),
      ...files("yandex-browser*", "ungoogled-chromium", "iridium", "epic privacy browser", "net.imput.helium"),
      ...files("librewolf", "waterfox", "floorp", "zen", "thunderbird", "tor browser", "torbrowser*", "qutebrowser"),
      ...files("falkon", "epiphany", "org.gnome.epiphany", "midori", "naver", "comet/user data", "evolution", "geary"),
      ...files("packages/thebrowsercompany.arc_*", "packages/mozilla.firefox_*"),
    },
  },
  {
    at: "programs",
    holds: "logins of programs made of Chromium, and messengers",
    sandbox: "hidden",
    places: {
      ...files("slack", "discord", "discordcanary", "signal", "element", "microsoft/teams", "teams-for-linux"),
      ...files("whatsapp", "telegramdesktop", "telegram desktop", "skypeforlinux", "notion", "linear"),
    },
  },
]);

/** What `/proc` shows of some process and of the machine, as examples. */
export const processSecrets = lazily((): readonly string[] =>
  ["1", "self"]
    .flatMap((id) =>
      ["", "/task/1"].flatMap((task) => ["environ", "mem", "auxv"].map((name) => `${id}${task}/${name}`)),
    )
    .concat("1/fd/3", "1/cwd/.env", "1/root/etc/shadow", "1/map_files/1", "kcore"),
);

/** Returns the names of all places of a kind. */
export function secretPlaceNames(at: SecretPlaces["at"], sandbox?: SecretPlaces["sandbox"]): string[] {
  const wanted = secretPlaces().filter((one) => one.at === at && (sandbox ?? one.sandbox) === one.sandbox);
  return wanted.flatMap(({ places }) => Object.keys(places));
}

const usualFolders: readonly string[] = [
  ...[".config/", ".local/share/", ".local/state/"],
  ...["Library/Application Support/", "AppData/Roaming/", "AppData/Local/"],
];

/** Returns what usually exists of the secrets in a home folder, as paths from there; those without `/` may be in any folder. */
export const usualSecrets = lazily((): readonly string[] =>
  secretPlaces().flatMap(({ at, places }) => {
    if (at === "system") return [];
    const usual = Object.entries(places).flatMap(([name, inIt]) => {
      const isGlob = name.slice(name.lastIndexOf("/") + 1).includes("*");
      if (isGlob || inIt.length > 0) return isGlob ? inIt : inIt.map((one) => `${name}/${one}`);
      // What has a dot within is a file.
      return name.includes("*") || (at === "programs" && name.lastIndexOf(".") <= name.lastIndexOf("/") + 1)
        ? []
        : [name];
    });
    return (at === "programs" ? usualFolders : [""]).flatMap((folder) => usual.map((one) => folder + one));
  }),
);

const secretVariables = lazily(() => new Set(secretPlaces().flatMap(({ variables }) => Object.keys(variables ?? {}))));

/** Returns what a variable of the environment is likely to name: folders of programs, or a secret. */
export function likelyFolders(variable: string, env: Readonly<Record<string, string | undefined>>): string[] {
  const usual = programFolderVariables[variable];
  if (usual === undefined && !secretVariables().has(variable)) return [];
  const set = env[variable] ?? "";
  return [...(set === "" ? [] : [set]), ...(usual === undefined ? [] : [`~/${usual}`])];
}
