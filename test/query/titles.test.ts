/** L5: titles of sessions that programs and the command line start. */
import assert from "node:assert/strict";
import type { Answer, ReceivedRequest } from "../model-server.ts";
import { calls, from, says, user, type World, worlds } from "./world.ts";

describe("query(): titles", () => {
  const open = worlds();

  const isTitle = ({ raw }: ReceivedRequest) => raw.includes("Name the conversation that begins with");
  const titleRequests = (world: World) => world.server.requests.filter(isTitle);
  /** Answers requests for titles with `title`, and others in order. */
  const naming = (title: Answer, ...answers: Answer[]) => {
    return (request: ReceivedRequest) => (isTitle(request) ? title : (answers.shift() ?? says("Done.")));
  };

  it("L5 the model names a new session, once, beside its first reply; lists and the record have the title", async () => {
    const world = await open(naming(says("Mending the cart"), calls(["read", { file_path: "." }]), says("Done.")));
    const run = world.query(from([user("Please repair it"), user("More")]), { titles: true, sessionId: "mine" });
    assert.equal(run.title, "New session");
    for await (const _ of run);
    assert.equal(run.title, "Mending the cart");
    assert.equal(titleRequests(world).length, 1);
    assert.equal(world.replay("mine").chat.session.title, "Mending the cart");
    await world.run("Again", { titles: true, resume: "mine" });
    assert.equal(titleRequests(world).length, 1, "not when a session continues");
    const newest = /The newest of .*: mine \(Mending the cart\)\./;
    assert.throws(() => world.query("Go", { resume: "other" }), { code: "no-session", message: newest });
  });

  it("L5 the request counts in the cost of the query", async () => {
    const world = await open(naming(says("A title"), says("Done.")));
    const without = world.query("Go");
    for await (const _ of without);
    const run = world.query("Go", { titles: true });
    for await (const _ of run);
    assert.ok((run.totalCostUsd ?? 0) > (without.totalCostUsd ?? 0));
  });

  it("L5 none when titles are off, when nothing is stored, and beyond a budget", async () => {
    const world = await open(naming(says("A title")));
    await world.run("Go", { titles: false });
    await world.run("Go", { titles: true, persistSession: false });
    await world.run("Go", { titles: true, maxBudgetTokens: 1 });
    assert.equal(world.raws.length, 3);
    assert.equal(titleRequests(world).length, 0);
  });

  const failures: Record<string, Answer> = {
    "an overloaded server": { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "x" } } },
    "no answer": { bytes: "", hang: true },
    nonsense: { bytes: "event: ping\ndata: nonsense\n\n" },
    "a call": calls(["bash", { command: "touch made" }]),
    "an empty title": says('""'),
  };
  for (const [name, title] of Object.entries(failures)) {
    it(`L5 ${name} in place of a title: the prompt stays the title, nothing is told, the end waits no second`, async () => {
      const world = await open(naming(title, says("Done.")));
      let end = 0;
      const run = world.query("Please repair it", { titles: true });
      for await (const message of run) if (message.type === "result") end = performance.now();
      const waited = performance.now() - end;
      assert.ok(waited < 3000, `${waited} ms`);
      assert.equal(run.title, "Please repair it");
      assert.deepEqual(world.notes, []);
      assert.equal(world.has("made"), false);
    });
  }

  it("L5 interrupt() and close() do not wait for a title", async () => {
    for (const end of ["interrupt", "close"] as const) {
      const world = await open(naming({ bytes: "", hang: true }, calls(["bash", { command: "sleep 60" }])));
      const run = world.query("Go", { titles: true, permissionMode: "bypassPermissions" });
      for await (const message of run) if (message.type === "tool_progress") void run[end]();
      assert.equal(titleRequests(world).length, 1);
      await titleRequests(world)[0]?.left;
    }
  });

  it("L5 a title that comes after the last reply of a short run is not lost", async () => {
    let answer: (title: Answer) => void = () => {};
    const title = new Promise<Answer>((resolve) => {
      answer = resolve;
    });
    const world = await open((request) => (isTitle(request) ? title : says("Done.")));
    const run = world.query("Go", { titles: true });
    for await (const message of run) if (message.type === "result") answer(says("Late"));
    assert.equal(run.title, "Late");
  });
});
