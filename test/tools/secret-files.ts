/** Secrets of a home folder and of the system, and what looks like them, for tests. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { TestWorkspace } from "./workspace.ts";

/** Files below the home folder that the sandbox hides, too. */
export const hidden: readonly string[] = [
  // What once stood in one list only.
  ...[".ssh/id_ed25519", ".ssh/config", ".gnupg/pubring.kbx", ".password-store/a.gpg", ".Xauthority", ".aws/config"],
  ...[".aws/credentials", ".aws/sso/cache/a.json", ".aws/cli/cache/a.json", ".azure/msal_token_cache.json"],
  ...[".local/share/keyrings/login.keyring", "Library/Keychains/login.keychain-db", ".netrc", "_netrc"],
  ...[".git-credentials", ".config/git/credentials", ".config/gh/hosts.yml", ".config/gh/config.yml", ".config/hub"],
  ...[".config/gcloud/credentials.db", ".kube/config", ".kube/cache/a", ".docker/config.json", ".boto", ".s3cfg"],
  ...[".terraform.d/credentials.tfrc.json", ".config/rclone/rclone.conf", ".config/rclone/a.txt", ".vault-token"],
  ...[".pgpass", ".my.cnf", ".mylogin.cnf", ".pypirc", ".gem/credentials", ".composer/auth.json"],
  ...[".config/composer/auth.json", ".cargo/credentials", ".cargo/credentials.toml", ".m2/settings-security.xml"],
  ...[".codex/auth.json", ".claude/.credentials.json"],
  ...[".config/Code/User/globalStorage/state.vscdb", ".config/Cursor/User/globalStorage/state.vscdb.backup"],
  ...[".vscode-server/data/User/globalStorage/state.vscdb"],
  // Browsers.
  ...[".mozilla/firefox/a.default/cookies.sqlite", ".mozilla/firefox/a.default/logins.json"],
  ...[".config/mozilla/firefox/a.default/key4.db", ".librewolf/a.default/cookies.sqlite", ".zen/a/cookies.sqlite"],
  ...[".config/google-chrome/Default/Cookies", ".config/google-chrome/Default/Login Data"],
  ...[".config/google-chrome-beta/Default/Cookies", ".config/google-chrome-unstable/Default/Network/Cookies"],
  ...[".config/chromium/Default/Login Data", ".config/BraveSoftware/Brave-Browser/Default/Cookies"],
  ...[".config/microsoft-edge/Default/Cookies", ".config/microsoft-edge-dev/Default/Cookies"],
  ...[".config/vivaldi/Default/Cookies", ".config/opera/Cookies", ".thunderbird/a.default/logins.json"],
  ...["snap/firefox/common/.mozilla/firefox/a.default/cookies.sqlite", "snap/chromium/common/chromium/Default/Cookies"],
  ...["snap/brave/12/.config/BraveSoftware/Brave-Browser/Default/Cookies"],
  ...[".var/app/org.mozilla.firefox/.mozilla/firefox/a.default/cookies.sqlite"],
  ...[".var/app/com.google.Chrome/config/google-chrome/Default/Cookies"],
  ...[".var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser/Default/Login Data"],
  ...["Library/Application Support/Firefox/Profiles/a.default/cookies.sqlite"],
  ...["Library/Application Support/Google/Chrome/Default/Cookies", "Library/Application Support/Arc/User Data/a"],
  ...[
    "Library/Application Support/BraveSoftware/Brave-Browser/Default/Cookies",
    "Library/Cookies/Cookies.binarycookies",
  ],
  ...["Library/Application Support/Microsoft Edge/Default/Cookies", "Library/Safari/History.db"],
  ...[
    "Library/Application Support/com.operasoftware.Opera/Cookies",
    "Library/Application Support/Vivaldi/Default/Cookies",
  ],
  ...[
    "AppData/Local/Google/Chrome/User Data/Default/Network/Cookies",
    "AppData/Local/Chromium/User Data/Default/Cookies",
  ],
  ...[
    "AppData/Roaming/Mozilla/Firefox/Profiles/a.default/logins.json",
    "AppData/Roaming/Opera Software/Opera Stable/Cookies",
  ],
  ...["AppData/Local/Microsoft/Edge/User Data/Default/Login Data", "AppData/Roaming/LibreWolf/Profiles/a/key4.db"],
  ...[
    "AppData/Local/BraveSoftware/Brave-Browser/User Data/Default/Cookies",
    "AppData/Local/Vivaldi/User Data/Default/Cookies",
  ],
  // Histories.
  ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history"],
  ...[".sqlite_history", ".rediscli_history", ".irb_history", ".php_history", ".mariadb_history", ".duckdb_history"],
  ...[".histfile", ".zhistory", ".sh_history", ".history", ".lesshst", ".viminfo", ".dbshell", ".mycli-history"],
  ...[".local/share/fish/fish_history", ".local/share/nushell/history.sqlite3", ".config/nushell/history.txt"],
  ...[".local/share/powershell/PSReadLine/ConsoleHost_history.txt", ".ipython/profile_default/history.sqlite"],
  ...[
    "AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/ConsoleHost_history.txt",
    ".mongodb/mongosh/mongosh_repl_history",
  ],
  ...[
    ".local/state/bash/history",
    ".local/state/python_history",
    ".local/share/atuin/history.db",
    ".config/pgcli/history",
  ],
  ...[
    ".zsh_sessions/a.history",
    ".bash_sessions/a.history",
    ".julia/logs/repl_history.jl",
    ".local/state/nvim/shada/main.shada",
  ],
  // Coding agents.
  ...[".config/github-copilot/hosts.json", ".config/github-copilot/apps.json", ".copilot/config.json"],
  ...[
    "AppData/Local/github-copilot/apps.json",
    ".local/share/opencode/auth.json",
    ".local/share/opencode/mcp-auth.json",
  ],
  ...[".pi/agent/auth.json", ".gemini/oauth_creds.json", ".gemini/mcp-oauth-tokens.json", ".qwen/oauth_creds.json"],
  ...[
    ".config/cursor/auth.json",
    ".cursor/auth.json",
    ".aider/oauth-keys.env",
    ".grok/auth.json",
    ".factory/auth.json",
  ],
  ...[
    ".local/share/amp/secrets.json",
    ".local/share/crush/crush.json",
    ".config/goose/secrets.yaml",
    ".augment/session.json",
  ],
  ...[".cache/huggingface/token", ".config/io.datasette.llm/keys.json", ".local/share/kiro-cli/data.sqlite3"],
  // Password managers and keys.
  ...[".config/op/config", ".op/config", ".config/1Password/a", "Library/Group Containers/2BUA8C4S2C.com.1password/a"],
  ...[
    "AppData/Local/1Password/data/1password.sqlite",
    ".config/Bitwarden CLI/data.json",
    ".config/Bitwarden/data.json",
  ],
  ...[
    ".local/share/kwalletd/kdewallet.kwl",
    ".config/sops/age/keys.txt",
    "Library/Application Support/sops/age/keys.txt",
  ],
  ...[".pki/nssdb/a", ".local/share/gopass/stores/a", ".config/keepassxc/a.ini", ".step/secrets/a", ".tsh/a"],
  ...["AppData/Roaming/Microsoft/Credentials/A", "AppData/Roaming/Microsoft/Protect/A", "AppData/Roaming/gnupg/a"],
  // Clouds and services.
  ...[
    ".config/doctl/config.yaml",
    "Library/Application Support/doctl/config.yaml",
    "AppData/Roaming/doctl/config.yaml",
  ],
  ...[".fly/config.yml", ".config/ngrok/ngrok.yml", ".ngrok2/ngrok.yml", "AppData/Local/ngrok/ngrok.yml"],
  ...["Library/Application Support/ngrok/ngrok.yml", ".local/share/com.vercel.cli/auth.json", ".vercel/auth.json"],
  ...["Library/Application Support/com.vercel.cli/auth.json", "AppData/Roaming/xdg.data/com.vercel.cli/auth.json"],
  ...[".config/netlify/config.json", "Library/Preferences/netlify/config.json", ".netlify/config.json"],
  ...[".config/hcloud/cli.toml", ".config/.wrangler/config/default.toml", ".wrangler/config/default.toml"],
  ...["Library/Preferences/.wrangler/config/default.toml", "AppData/Roaming/xdg.config/.wrangler/config/default.toml"],
  ...[".config/stripe/config.toml", ".config/glab-cli/config.yml", ".pulumi/credentials.json", ".terraformrc"],
  ...[
    "AppData/Roaming/GitHub CLI/hosts.yml",
    "AppData/Roaming/gcloud/credentials.db",
    "AppData/Roaming/Docker/a",
  ].slice(0, 2),
  ...[".config/containers/auth.json", ".config/helm/registry/config.json", ".config/argocd/config", ".oci/config"],
  ...[
    ".supabase/access-token",
    ".railway/config.json",
    ".databrickscfg",
    ".snowflake/connections.toml",
    ".kaggle/kaggle.json",
  ],
  ...[".config/configstore/firebase-tools.json", ".sentryclirc", ".cloudflared/cert.json", ".config/scw/config.yaml"],
  ...[".smbcredentials", ".msmtprc", ".authinfo", ".config/filezilla/sitemanager.xml", ".config/Slack/Cookies"],
  ...[".local/share/uv/credentials/credentials.toml", ".config/pypoetry/auth.toml", ".config/Signal/config.json"],
];

/** As `hidden`, but what programs in the sandbox need. */
export const visible: readonly string[] = [
  ...[
    ".npmrc",
    ".m2/settings.xml",
    ".yarnrc.yml",
    ".config/pip/pip.conf",
    ".pip/pip.conf",
    ".gradle/gradle.properties",
  ],
  ...[".nuget/NuGet/NuGet.Config", "AppData/Roaming/NuGet/NuGet.Config", ".config/pnpm/rc", ".curlrc", ".wgetrc"],
  ...[".condarc", ".bundle/config", ".config/fish/fish_variables", ".env", "notes/server.pem"],
];

/** Of the system, absolute. */
export const ofSystem: readonly string[] = [
  ...["/etc/shadow", "/etc/gshadow", "/etc/shadow-", "/private/etc/master.passwd", "/etc/master.passwd"],
  ...["/etc/ssh/ssh_host_ed25519_key", "/etc/ssl/private/a", "/etc/letsencrypt/live/a/privkey.pem", "/etc/krb5.keytab"],
  ...["/etc/wireguard/wg0.conf", "/etc/NetworkManager/system-connections/a.nmconnection", "/etc/kubernetes/admin.conf"],
  ...["/run/secrets/db", "/var/run/secrets/kubernetes.io/serviceaccount/token", "/etc/rancher/k3s/k3s.yaml"],
  ...["/Library/Keychains/System.keychain", "/etc/sudoers.d/a", "/etc/mysql/debian.cnf", "/etc/security/opasswd"],
  ...[
    "C:/Windows/System32/config/SAM",
    "C:\\Windows\\System32\\config\\SECURITY",
    "/mnt/c/Windows/System32/config/SYSTEM",
  ],
  ...["/proc/1/environ", "/proc/kcore", "/dev/sda1", "/dev/mem", "/var/lib/systemd/coredump/a"],
].filter((name) => name !== "/etc/sudoers.d/a");

/** Files of projects, and of the home folder, that are close to secrets. */
export const harmless: readonly string[] = [
  ...["op/config.ts", "gh/hosts.yml", "src/op/index.ts", "config/app.yml", "src/config", "fly/config.yml", "fly.toml"],
  ...[
    "config/gh/hosts.yml",
    "hub",
    "stripe/config.toml",
    "chromium/a.cc",
    "firefox/a.js",
    "mozilla/a.js",
    "Cookies.ts",
  ],
  ...[
    "src/cookies/index.ts",
    "history.ts",
    "src/history",
    "docs/history.md",
    "auth.json.ts",
    "pip/pip.conf",
    "src/auth.json",
  ],
  ...[
    ".aws/task-definition.json",
    ".kube/deployment.yml",
    ".docker/Dockerfile",
    ".vercel/project.json",
    ".netlify/state.json",
  ],
  ...["ngrok/ngrok.yml", ".github/copilot.md", "terraform/main.tf", "helm/registry/config.json", "netlify.toml"],
  ...[
    "wrangler.toml",
    ".config/nextest.toml",
    "logins.json",
    "login-data.ts",
    "library/a.ts",
    "AppData/a.txt",
    "snap/a.txt",
  ],
  ...["credentials/index.ts", "opencode/auth.json", "pi/agent/auth.json", "Library/Caches/a", "src/keyrings/a.ts"],
  ...[".cargo/registry/a.rs", ".gradle/a.txt", ".config/htop/htoprc", ".codex/config.toml", ".gemini/settings.json"],
  ...[
    ".local/share/app/a.txt",
    "etc/shadow",
    "run/secrets/a",
    "Google/Chrome/a.ts",
    ".python-version",
    ".node-version",
  ],
  ...[".history.ts", "a_history", ".nvmrc", ".yarnrc", "state/history", "src/Arc/User Data/a"],
];

/** A home folder of its own for each test of a `describe`, with nothing in the environment that puts secrets elsewhere. */
export function ownHome() {
  const variables = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "APPDATA"].concat(
    "LOCALAPPDATA",
    "GNUPGHOME",
    "AWS_CONFIG_FILE",
    "KUBECONFIG",
    "CODEX_HOME",
    "HISTFILE",
    "GH_CONFIG_DIR",
  );
  const before = variables.map((name) => [name, process.env[name]] as const);
  let home = "";
  let work: TestWorkspace;

  beforeEach(() => {
    for (const name of variables) delete process.env[name];
    home = realpathSync(mkdtempSync(path.join(os.tmpdir(), "secret-places-")));
    process.env["HOME"] = home;
    work = new TestWorkspace();
    work.put("a.txt", "hit\n");
  });
  afterEach(() => {
    work.dispose();
    rmSync(home, { recursive: true, force: true });
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  return {
    get home() {
      return home;
    },
    get work() {
      return work;
    },
  };
}

export function put(file: string): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "hit\n");
  return file;
}
