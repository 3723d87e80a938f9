/** Secret places, each in every way that tools read: by name, in searches, and from the sandbox. */
import assert from "node:assert/strict";
import { linkSync, symlinkSync } from "node:fs";
import path from "node:path";
import { secretPlaces } from "../../src/base/secret-places.ts";
import { judge, strictest } from "../../src/loop/permissions/rules.ts";
import { windowsPlaces } from "../../src/tools/command/windows/windows-files.ts";
import { windowsWords } from "../../src/tools/command/windows/windows-words.ts";
import { isSecret } from "../../src/tools/file-access/protected-names.ts";
import { nodeWorkspace } from "../../src/tools/node-host/workspace.ts";
import { hiddenKeys } from "../../src/tools/sandbox/hidden-places.ts";
import { harmless, hidden, ofSystem, ownHome, put, visible } from "./secret-files.ts";

describe("T8 secret places", () => {
  const own = ownHome();
  const fresh = () => nodeWorkspace([own.work.folder], true);
  const plain = [...hidden, ...visible];

  it("are known to tools, in any letter case, below any home folder, and with `\\`", async () => {
    const { home, work } = own;
    const open: string[] = [];
    for (const file of plain) {
      const names = [
        `~/${file}`,
        `~/${file.toUpperCase()}`,
        path.join(home, file),
        `${home}/../${path.basename(home)}/${file}`,
      ];
      for (const name of names) if ((await work.host.workspace.locate(name)).protection !== "secret") open.push(name);
      for (const folder of ["/home/u", "/root", "/Users/u", "C:/Users/u", "/mnt/c/Users/u", "/var/home/u"])
        if (!isSecret(`${folder}/${file}`)) open.push(`${folder}/${file}`);
      if (!isSecret(`C:\\Users\\u\\${file.replaceAll("/", "\\")}`)) open.push(`C:\\…\\${file}`);
    }
    for (const file of ofSystem) if (!isSecret(file)) open.push(file);
    assert.deepEqual(open, []);
  });

  it("ask before the read tool opens them, in Bypass, too", async () => {
    const { home, work } = own;
    const open: string[] = [];
    const book = { mode: "bypassPermissions" as const, user: [], workspace: [] };
    for (const file of plain) {
      put(path.join(home, file));
      const { requires } = await work.plan("read", { file_path: `~/${file}` }, undefined, book);
      if (strictest(requires.map((need) => judge(need, "read", book))) !== "ask") open.push(file);
    }
    assert.deepEqual(open, []);
  });

  it("are left out of searches of the home folder, and of a workspace that is one", async () => {
    const { home, work } = own;
    for (const file of plain) put(path.join(home, file));
    put(path.join(home, "notes/a.txt"));
    const { output } = await work.run("grep", { pattern: "hit", path: home });
    const names = output.split("\n").filter((line) => /\.|\//.test(line) && !line.startsWith("("));
    assert.deepEqual(
      names.map((name) => path.relative(home, path.resolve(work.folder, name))),
      ["notes/a.txt"],
    );
    const found = (await work.run("glob", { pattern: "**/*", path: home })).output.split("\n");
    const left = found.filter((name) => plain.some((file) => name.endsWith(file)));
    assert.deepEqual(left, []);
    const inHome = nodeWorkspace([home], true);
    const open: string[] = [];
    for (const file of plain) if ((await inHome.locate(file)).protection !== "secret") open.push(file);
    assert.deepEqual(open, []);
  });

  it("ask in commands of Windows that name them by variables", () => {
    const paths = (command: string, shell: "cmd" | "powershell") =>
      windowsWords(command, shell)
        .flatMap(windowsPlaces)
        .flatMap((place) => (place.type === "path" ? [place.path] : []));
    for (const words of [
      paths("type %APPDATA%\\gh\\hosts.yml", "cmd"),
      paths('copy "%LocalAppData%\\Google\\Chrome\\User Data\\Default\\Login Data" x', "cmd"),
      paths("type !USERPROFILE!\\.aws\\config", "cmd"),
      paths("gc $env:APPDATA\\Mozilla\\Firefox\\Profiles\\a\\logins.json", "powershell"),
      paths('gc "$env:LOCALAPPDATA\\1Password\\a"', "powershell"),
      paths("gc ~\\.python_history", "powershell"),
    ])
      assert.ok(
        words.some((name) => isSecret(name)),
        words.join(" "),
      );
  });

  it("are known where the environment puts them", async () => {
    const { home, work } = own;
    const elsewhere = path.join(work.root, "elsewhere");
    process.env["XDG_CONFIG_HOME"] = path.join(elsewhere, "config");
    process.env["XDG_DATA_HOME"] = path.join(elsewhere, "data");
    process.env["XDG_STATE_HOME"] = path.join(elsewhere, "state");
    process.env["GNUPGHOME"] = path.join(elsewhere, "keys");
    process.env["AWS_CONFIG_FILE"] = path.join(elsewhere, "amazon.ini");
    process.env["KUBECONFIG"] = `${elsewhere}/k1${path.delimiter}${elsewhere}/k2`;
    process.env["CODEX_HOME"] = path.join(elsewhere, "codex");
    process.env["HISTFILE"] = path.join(elsewhere, "shell.log");
    process.env["GH_CONFIG_DIR"] = path.join(elsewhere, "github");
    const names = [
      "config/gh/hosts.yml",
      "config/google-chrome/Default/Cookies",
      "config/op/config",
      "config/doctl/config.yaml",
    ]
      .concat(
        "data/opencode/auth.json",
        "data/fish/fish_history",
        "state/bash/history",
        "keys/a",
        "amazon.ini",
        "k1",
        "k2",
      )
      .concat("codex/auth.json", "shell.log", "github/hosts.yml", "config/github-copilot/apps.json");
    // Whether they exist or not.
    for (const isThere of [false, true]) {
      if (isThere) for (const name of names) put(path.join(elsewhere, name));
      const workspace = fresh();
      for (const name of [...names, "CONFIG/GH/HOSTS.YML"])
        assert.equal((await workspace.locate(path.join(elsewhere, name))).protection, "secret", `${isThere} ${name}`);
      for (const name of ["config/app/a.txt", "codex/config.toml", "a.txt", "k3", "data/app/a"])
        assert.equal((await workspace.locate(path.join(elsewhere, name))).protection, "none", name);
    }
    const { files, folders } = hiddenKeys(home);
    const isHidden = (file: string) => files.includes(file) || folders.some((one) => file.startsWith(`${one}/`));
    assert.deepEqual(
      names.filter((name) => !isHidden(path.join(elsewhere, name))),
      [],
    );
  });

  it("no device, and no folder that holds the home folder, is one", async () => {
    const { home } = own;
    process.env["HISTFILE"] = "/dev/null";
    process.env["GNUPGHOME"] = path.dirname(home);
    process.env["CODEX_HOME"] = "";
    const workspace = fresh();
    for (const name of ["/dev/null", path.join(home, "a.txt"), "a.txt"])
      assert.equal((await workspace.locate(name)).protection, "none", name);
    const { files, folders } = hiddenKeys(home);
    assert.deepEqual(
      [...files, ...folders].filter((place) => place === "/dev/null" || home.startsWith(place)),
      [],
    );
  });

  it("behind links, and where they are links themselves", async () => {
    const { home, work } = own;
    put(path.join(home, "dotfiles/aws/config"));
    put(path.join(home, "dotfiles/config/gh/hosts.yml"));
    put(path.join(home, "dotfiles/history"));
    put(path.join(home, "dotfiles/firefox/a/cookies"));
    symlinkSync(path.join(home, "dotfiles/aws"), path.join(home, ".aws"));
    symlinkSync(path.join(home, "dotfiles/config"), path.join(home, ".config"));
    symlinkSync(path.join(home, "dotfiles/history"), path.join(home, ".python_history"));
    symlinkSync(path.join(home, "dotfiles/firefox"), path.join(home, ".mozilla"));
    symlinkSync(path.join(home, ".python_history"), work.path("link"));
    symlinkSync(home, work.path("there"));
    linkSync(put(path.join(home, ".config/op/config")), work.path("hard"));
    linkSync(put(path.join(home, ".local/share/opencode/auth.json")), work.path("hard2"));
    linkSync(put(path.join(home, ".node_repl_history")), work.path("hard3"));
    const workspace = fresh();
    for (const name of [
      "dotfiles/aws/config",
      "dotfiles/config/gh/hosts.yml",
      "dotfiles/history",
      "dotfiles/firefox/a/cookies",
    ])
      assert.equal((await workspace.locate(`~/${name}`)).protection, "secret", name);
    for (const name of ["link", "there/.aws/config", "there/dotfiles/aws/config", "hard", "hard2", "hard3"])
      assert.equal((await workspace.locate(name)).protection, "secret", name);
    assert.equal((await workspace.locate("~/dotfiles/config/app.txt")).protection, "none");
    const { files, folders } = hiddenKeys(home);
    assert.ok(folders.includes(path.join(home, "dotfiles/aws")) && files.includes(path.join(home, "dotfiles/history")));
  });

  it("are hidden in the sandbox, except what programs need there", () => {
    const { home } = own;
    for (const file of plain) put(path.join(home, file));
    const { files, folders } = hiddenKeys(home);
    const isHidden = (file: string) => files.includes(file) || folders.some((one) => file.startsWith(`${one}/`));
    assert.deepEqual(
      hidden.filter((file) => !isHidden(path.join(home, file))),
      [],
    );
    assert.deepEqual(
      visible.filter((file) => isHidden(path.join(home, file))),
      [],
    );
    assert.deepEqual(
      harmless.filter((file) => isHidden(put(path.join(home, "src", file)))),
      [],
    );
  });

  it("no file of a project is one", async () => {
    const { work } = own;
    const asked: string[] = [];
    for (const file of harmless) {
      work.put(`p/${file}`, "hit\n");
      if ((await work.host.workspace.locate(`p/${file}`)).protection === "secret") asked.push(file);
    }
    assert.deepEqual(asked, []);
    const found = (await work.run("grep", { pattern: "hit", path: "p" })).output;
    assert.doesNotMatch(found, /may hold secrets/);
  });

  it("on other disks, in shares and in containers, and in disguise", () => {
    const names = [
      "/.kube/x",
      "/.aws/cli/x",
      "/home/u/.ssh./id",
      "/home/u/.aws /config",
      "C:\\Users\\u\\.aws\\config:$DATA",
    ]
      .concat("/HOME/U/.KUBE/X", "/home/u/.ＡＷＳ/config", "/home/u/.a\u200bws/config", "//wsl$/Ubuntu/home/u/.kube/x")
      .concat("/Volumes/Macintosh HD/Users/u/.aws/cli/x", "/host/root/.kube/a", "\\\\?\\C:\\Users\\u\\.kube\\x");
    assert.deepEqual(
      names.filter((name) => !isSecret(name)),
      [],
    );
    assert.deepEqual(["/work/app/.kube/x", "/src/home/.aws/x", "/data/root/.netlify/config.json"].filter(isSecret), []);
  });

  it("where the home folder is the root", async () => {
    process.env["HOME"] = "/";
    const workspace = nodeWorkspace([own.work.folder], true);
    assert.equal((await workspace.locate("~/.kube/cache/x")).protection, "secret");
    assert.equal((await workspace.locate("/opt/kube/x")).protection, "none");
  });

  it("stand once in the table", () => {
    const all = secretPlaces().flatMap(({ at, places }) =>
      Object.keys(places).map((name) => `${at} ${name.toLowerCase()}`),
    );
    assert.deepEqual(
      all.filter((name, at) => all.indexOf(name) !== at),
      [],
    );
  });
});
