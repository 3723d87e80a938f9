/** P3: sessions that end for good, and the marks of runs that were broken off. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { calls, says, user, type World, worlds } from "./world.ts";

describe("P3 sessions that ended", () => {
  const open = worlds();
  const { homedir } = os;
  afterEach(() => {
    os.homedir = homedir;
  });

  /** Makes the world's home the user's, with this text in the user's memory file. */
  function remember(world: World, text: string): void {
    os.homedir = () => world.home;
    mkdirSync(path.join(world.home, ".rondo"), { recursive: true });
    writeFileSync(path.join(world.home, ".rondo/MEMORY.md"), text);
  }
  const marked = (world: World, id = "mine") => world.replay(id).chat.session.terminated;
  const usersOwn = { settingSources: ["user", "project"] as const };
  const own = () => ({ settingSources: [...usersOwn.settingSources] });

  for (const target of ["mine", "all", "folder"]) {
    it(`P3 the user's memory file ends a session (${target}): refused, marked, also when the line is gone`, async () => {
      const world = await open([says("One."), says("Fork.")]);
      await world.run("One", { sessionId: "mine" });
      const named = target === "folder" ? world.folder : target;
      remember(world, `# Notes\n\n- End session: ${named} - the work is done\n`);
      const refusal = {
        code: "session-terminated",
        message: /memory file ~\/\.rondo\/MEMORY\.md says \(the work is done\)/,
      };
      await assert.rejects(world.run("Two", { resume: "mine", ...own() }), refusal);
      assert.partialDeepStrictEqual(marked(world), { by: "memory", reason: "the work is done" });
      remember(world, "");
      await assert.rejects(world.run("Three", { resume: "mine", ...own() }), refusal);
      assert.equal(world.raws.length, 1, "no model was asked");
      assert.equal(world.replay("mine").chat.messages.length, 2, "nothing was stored");
      await world.run("Four", { resume: "mine", forkSession: true, sessionId: "copy", ...own() });
      assert.equal(marked(world, "copy"), undefined, "a copy goes on");
    });
  }

  it("P3 it ends a session between two prompts of a run; a new session that ends at once leaves no record", async () => {
    const world = await open([says("One.")]);
    async function* prompts() {
      yield user("One");
      remember(world, "End session: all");
      yield user("Two");
    }
    await assert.rejects(world.run(prompts(), { sessionId: "mine", ...own() }), { code: "session-terminated" });
    assert.equal(marked(world)?.by, "memory");
    await assert.rejects(world.run("New", { sessionId: "new", ...own() }), { code: "session-terminated" });
    assert.deepEqual(world.kept("new.jsonl"), []);
  });

  it("P3 other words and other sessions end nothing", async () => {
    const world = await open(() => says("Hi."));
    for (const text of [
      "End session: other",
      "Say: End session: all",
      "end session all",
      "End session:",
      "End session: min",
    ]) {
      remember(world, text);
      await world.run("Hi", own());
    }
  });

  it("P3 the memory of a workspace ends nothing, also where the workspace is the home folder, or links to the user's", async () => {
    const world = await open(() => says("Hi."));
    remember(world, "");
    world.write(".rondo/MEMORY.md", "End session: all\n");
    world.write("AGENTS.md", "End session: all\n");
    await world.run("Hi", own());
    remember(world, "End session: all\n");
    await world.run("Hi", { cwd: world.home, ...own() });
    const untrusted = { trusted: false, ...own() };
    await assert.rejects(
      world.run("Hi", untrusted),
      { code: "session-terminated" },
      "the user's own counts everywhere",
    );
  });

  it("P3 Stop and the time limit mark the session; the next message goes on and removes the mark", async () => {
    const world = await open([calls(["bash", { command: "sleep 60" }]), says("On.")]);
    const run = world.query("Go", { sessionId: "mine", permissionMode: "bypassPermissions" });
    for await (const message of run) if (message.type === "tool_progress") void run.interrupt();
    assert.equal(marked(world)?.by, "stop");
    await world.run("More", { resume: "mine" });
    assert.equal(marked(world), undefined);
    const slow = await open([calls(["bash", { command: "sleep 0.3" }]), says("Late.")]);
    const limits = { executionTimeout: 100 };
    await slow.run("Go", { sessionId: "mine", permissionMode: "bypassPermissions", limits });
    assert.equal(marked(slow)?.by, "time-limit");
  });
});
