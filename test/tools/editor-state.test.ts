/** The settings, extensions and state of editors, and Rondo's own state: changes ask in every mode. */
import assert from "node:assert/strict";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { nodeWorkspace } from "../../src/tools/node-host/workspace.ts";
import { allowing, decisionOf } from "./command/judged.ts";
import { TestWorkspace } from "./workspace.ts";

describe("T8 the state of editors and of Rondo", () => {
  let work: TestWorkspace;
  let home: string;
  const before = { ...process.env };
  const put = (file: string) => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, "{}");
    return file;
  };

  beforeEach(() => {
    home = realpathSync(mkdtempSync(path.join(os.tmpdir(), "editor-state-")));
    process.env["HOME"] = home;
    for (const name of ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "VSCODE_PORTABLE"]) delete process.env[name];
    for (const file of [
      ".config/Code/User/settings.json",
      ".config/Code/User/globalStorage/state.vscdb",
      ".local/state/rondo/sessions/a.jsonl",
      ".vscode/extensions/extensions.json",
      "notes/a.txt",
      ".config/other/a.txt",
    ])
      put(path.join(home, file));
    work = new TestWorkspace();
    work.put("a.txt", "x");
  });
  afterEach(() => {
    work.dispose();
    rmSync(home, { recursive: true, force: true });
    for (const name of ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "VSCODE_PORTABLE"]) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });

  const user = ["settings.json", "keybindings.json", "tasks.json", "mcp.json", "snippets/a.json", "prompts/a.md"]
    .concat("profiles/p/settings.json", "globalStorage/storage.json", "workspaceStorage/w/workspace.json")
    .concat("sync/x", "History/x/y.ts", "globalStorage/rondo.rondo/workspaces/none/sessions/a.jsonl");
  const files = [
    ...user.map((name) => `.config/Code/User/${name}`),
    ...["Code - Insiders", "VSCodium", "Cursor", "Windsurf"].map((name) => `.config/${name}/User/settings.json`),
    ...["Code", "Cursor"].map((name) => `Library/Application Support/${name}/User/settings.json`),
    ...["AppData/Roaming/Code/User/settings.json", "snap/code/1/.config/Code/User/settings.json"],
    ...["vscode-server", "vscode-server-insiders", "vscode-remote", "cursor-server", "vscodium-server"].map(
      (name) => `.${name}/data/Machine/settings.json`,
    ),
    ...[".windsurf-server/data/User/settings.json", ".local/share/code-server/User/settings.json"],
    ...[".openvscode-server/data/Machine/settings.json", ".vscode-server/extensions/a/main.js"],
    ...[".vscode/extensions/a/main.js", ".vscode-oss/extensions/a/main.js", ".vscode/argv.json", ".cursor/mcp.json"],
    ...[".local/state/rondo/sessions/a.jsonl", "Library/Application Support/rondo/sessions/a", ".rondo/hooks.json"],
    ...["AppData/Local/rondo/sessions/a"],
  ];
  for (const file of files) {
    it(`~/${file} is protected from tools, in any letter case`, async () => {
      for (const name of [`~/${file}`, `~/${file.toUpperCase()}`])
        assert.notEqual((await work.host.workspace.locate(name)).protection, "none", name);
    });
    it(`~/${file} asks in Bypass, and whatever rules allow`, async () => {
      const place = path.join(home, file).replaceAll(" ", "\\ ");
      const folder = path.dirname(place);
      const name = path.basename(place);
      for (const command of [
        `echo x > ${place}`,
        `tee ${place} < a.txt`,
        `sed -i s/a/b/ ${place}`,
        `cp a.txt ${place}`,
        `mv a.txt ${folder}/`,
        `rm ${place}`,
        `ln -sf $PWD/a.txt ${place}`,
        `ln -s ${place} link`,
        `cd ${folder} && echo x > ${name}`,
        `python3 -c "open('${place.replaceAll("\\", "")}', 'w').write('x')"`,
        `sqlite3 ${place} "update ItemTable set value = 1"`,
        `f=${name}; printf x > "${folder.replaceAll("\\", "")}/$f"`,
      ]) {
        assert.equal(await decisionOf(command, work, [], "bypassPermissions"), "ask", command);
        assert.equal(
          await decisionOf(command, work, [...allowing("*"), { permission: "*", pattern: "*", action: "allow" }]),
          "ask",
          command,
        );
        assert.equal(await decisionOf(command, work, allowing("*"), "acceptEdits"), "ask", command);
      }
    });
  }

  it("folders that hold all of it ask when they are moved, removed or filled", async () => {
    for (const command of [
      "rm -rf ~/.config",
      "mv ~/.config ~/c",
      "cp -r a.txt ~/.config/",
      "rm -r ~/.local/state",
      "rm -rf ~/.config/Code",
    ])
      assert.equal(await decisionOf(command, work, [], "bypassPermissions"), "ask", command);
  });

  it("an unknown name among them asks", async () => {
    for (const command of [
      "for f in ~/.config/*/User/settings.json; do echo x > $f; done",
      "sed -i s/a/b/ ~/.config/Code/User/*.json",
    ])
      assert.equal(await decisionOf(command, work, [], "bypassPermissions"), "ask", command);
  });

  it("a folder of an editor is known wherever it is", async () => {
    const data = path.join(work.root, "any/data");
    put(path.join(data, "user-data/User/globalStorage/storage.json"));
    put(path.join(data, "extensions/extensions.json"));
    for (const name of [
      "user-data/User/settings.json",
      "user-data/user/MCP.json",
      "user-data/Machine/settings.json",
      "extensions/a/main.js",
      "argv.json",
    ]) {
      if (name.includes("/user/") && process.platform === "linux") continue;
      assert.equal((await work.host.workspace.locate(path.join(data, name))).protection, "settings", name);
    }
  });

  it("the folders that the environment names", async () => {
    process.env["XDG_CONFIG_HOME"] = path.join(work.root, "xdg");
    process.env["XDG_STATE_HOME"] = path.join(work.root, "state");
    process.env["VSCODE_PORTABLE"] = path.join(work.root, "portable");
    const named = ["xdg/Code/Backups/x", "state/rondo/sessions/a", "portable/user-data/x"].map((name) =>
      put(path.join(work.root, name)),
    );
    const { workspace } = nodeHost({ folders: [work.folder], trusted: true, overflowDir: os.devNull });
    for (const file of named) assert.equal((await workspace.locate(file)).protection, "settings", file);
  });

  it("links and hard links to it, and where it is a link itself", async () => {
    const settings = path.join(home, ".config/Code/User/settings.json");
    symlinkSync(settings, work.path("link.json"));
    symlinkSync(path.dirname(settings), work.path("folder"));
    put(work.path("dotfiles/keybindings.json"));
    symlinkSync(work.path("dotfiles/keybindings.json"), path.join(home, ".config/Code/User/keybindings.json"));
    linkSync(settings, work.path("hard.json"));
    const { workspace } = nodeHost({ folders: [work.folder], trusted: true, overflowDir: os.devNull });
    for (const name of ["link.json", "folder/tasks.json", "dotfiles/keybindings.json", "hard.json"])
      assert.equal((await workspace.locate(name)).protection, "settings", name);
  });

  it("in a workspace that holds it, or is such a folder", async () => {
    for (const [folder, name] of [
      [home, ".config/Code/User/settings.json"],
      [path.join(home, ".config"), "Code/User/settings.json"],
      [path.join(home, ".config/Code/User"), "settings.json"],
      [path.join(home, ".local/state"), "rondo/sessions/a.jsonl"],
    ] as const) {
      const workspace = nodeWorkspace([folder], true);
      assert.equal((await workspace.locate(name)).protection, "settings", folder);
    }
  });

  it("the folders that the caller names", async () => {
    const state = put(path.join(work.root, "sessions/a.jsonl"));
    const workspace = nodeWorkspace([work.folder], true, [], [path.dirname(state)]);
    assert.equal((await workspace.locate(state)).protection, "settings");
  });

  it("what editors keep as a secret asks before it is read", async () => {
    const file = "~/.config/Code/User/globalStorage/state.vscdb";
    assert.equal((await work.host.workspace.locate(file)).protection, "secret");
    for (const command of [`cat ${file}`, `sqlite3 ${file} .dump`, `cp ${file} x`])
      assert.equal(await decisionOf(command, work, [], "bypassPermissions"), "ask", command);
  });

  it("a worktree of Rondo is worked in like any folder, and so is what only looks alike", async () => {
    const tree = path.join(
      home,
      ".config/Code/User/globalStorage/rondo.rondo/workspaces/0123456789abcdef/worktrees/trees/fix",
    );
    put(path.join(tree, "src/a.ts"));
    for (const folder of [tree, work.folder]) {
      const workspace = nodeWorkspace(
        [folder],
        true,
        [],
        [path.join(home, ".config/Code/User/globalStorage/rondo.rondo")],
      );
      assert.equal((await workspace.locate(path.join(tree, "src/a.ts"))).protection, "none", folder);
      assert.equal((await workspace.locate(path.join(tree, ".vscode/settings.json"))).protection, "settings", folder);
      assert.equal((await workspace.locate(path.join(tree, "../../info/x.json"))).protection, "settings", folder);
    }
    for (const name of [
      "src/user/settings.json",
      "src/User/profile.ts",
      "extensions/a.ts",
      "config/code/a.ts",
      "Machine/settings.json",
      "argv.json",
      "src/code.ts",
    ])
      assert.equal((await work.host.workspace.locate(name)).protection, "none", name);
  });

  it("everyday commands in Bypass ask nothing", async () => {
    for (const command of [
      "ls ~/.config",
      "cat ~/.config/Code/User/settings.json",
      "ls ~/.vscode/extensions",
      "cat ~/.local/state/rondo/sessions/a.jsonl",
      "echo x > ~/.config/other/a.txt",
      "mkdir -p ~/.config/new/folder",
      "cp a.txt ~/",
      "rm -r ~/notes",
      "code .",
      "mkdir -p src/user && echo '{}' > src/user/settings.json",
    ])
      assert.equal(await decisionOf(command, work, [], "bypassPermissions"), "allow", command);
  });
});
