/** Two sessions that work on one folder at once: whose change is whose, and what a restore of one takes back. */
import assert from "node:assert/strict";
import type { SessionCheckpoints } from "../../src/checkpoints/session-checkpoints.ts";
import type { Change } from "../../src/loop/checkpoints.ts";
import { never, World } from "./world.ts";

describe("two sessions on one folder", () => {
  let world: World;
  let one: SessionCheckpoints;
  let two: SessionCheckpoints;
  beforeEach(() => {
    world = new World();
    for (const name of ["a.txt", "b.txt", "c.txt"]) world.put(name, "one\n");
    one = world.checkpoints;
    two = world.open("ses_two");
  });
  afterEach(() => world.dispose());

  /** Begins a step with a command, which runs until the step ends. */
  async function command(session: SessionCheckpoints): Promise<string> {
    const begun = session.begin();
    await session.ready("unknown", never);
    return begun;
  }
  async function write(session: SessionCheckpoints, name: string, text: string): Promise<string> {
    const begun = session.begin();
    await session.ready([world.path(name)], never);
    world.put(name, text);
    await session.end();
    return begun;
  }
  const files = (change: Change | undefined) => change?.files ?? [];

  /** Returns what a restore would do to each file, and who else has changed it. */
  async function planned(session: SessionCheckpoints, snapshot: string): Promise<string[]> {
    const plan = await session.preview(snapshot, never);
    return plan.files.map(({ effect, path, edited }) => `${effect} ${path} ${edited || "own"}`).sort();
  }

  /** Restores what is selected unless the user says otherwise. */
  async function restore(session: SessionCheckpoints, snapshot: string): Promise<void> {
    const plan = await session.preview(snapshot, never);
    const paths = plan.files.filter(({ edited }) => !edited).map(({ path }) => path);
    assert.deepEqual((await session.restore(snapshot, paths, never)).left, []);
  }

  it("W1 what a tool of one writes while the other's command runs is not the command's", async () => {
    const begun = await command(one);
    world.shell("echo mine > a.txt");
    const other = await write(two, "b.txt", "theirs\n");
    const change = await one.end();
    assert.deepEqual(files(change), ["a.txt"]);
    assert.deepEqual(world.takeReviewed(), ['"one\\n" > "mine\\n" a.txt', 'tool: "one\\n" > "theirs\\n" b.txt']);
    assert.deepEqual(await planned(one, begun), ["change a.txt own", "change b.txt session"]);
    await restore(one, begun);
    assert.deepEqual([world.text("a.txt"), world.text("b.txt")], ["one\n", "theirs\n"]);
    // The restore has changed it since.
    assert.deepEqual(await planned(two, other), ["change a.txt session", "change b.txt own"]);
  });

  it("W1 what commands of both change at the same time counts for both, and neither takes it back unasked", async () => {
    const [first, second] = [await command(one), await command(two)];
    world.shell("sed -i s/one/1/ a.txt");
    world.shell("sed -i s/one/2/ b.txt");
    assert.deepEqual(files(await one.end()), ["a.txt", "b.txt"]);
    assert.deepEqual(files(await two.end()), ["a.txt", "b.txt"]);
    for (const [session, begun] of [
      [one, first],
      [two, second],
    ] as const) {
      assert.deepEqual(await planned(session, begun), ["change a.txt session", "change b.txt session"]);
      await restore(session, begun);
    }
    assert.deepEqual([world.text("a.txt"), world.text("b.txt")], ["1\n", "2\n"]);
  });

  it("W1 a command that ran while the other's did nothing is the session's alone", async () => {
    const first = await command(one);
    world.shell("echo early > a.txt");
    const second = await command(two);
    world.shell("echo theirs > b.txt");
    assert.deepEqual(files(await two.end()), ["b.txt"]);
    world.shell("echo late > c.txt; echo new > d.txt");
    await one.end();
    const own = await planned(one, first);
    assert.ok(own.includes("change c.txt own") && own.includes("delete d.txt own"), own.join());
    assert.ok(own.includes("change b.txt session"), own.join());
    assert.ok((await planned(two, second)).every((line) => !/[cd]\.txt own/.test(line)));
  });

  it("W1 changes between the steps of one are named after the other session, or the user", async () => {
    const begun = await write(one, "a.txt", "mine\n");
    await command(two);
    world.shell("echo theirs > a.txt; echo theirs > b.txt");
    await two.end();
    world.put("c.txt", "the user's\n");
    await write(one, "new.txt", "mine\n");
    assert.deepEqual(await planned(one, begun), [
      "change a.txt session",
      "change b.txt session",
      "change c.txt user",
      "delete new.txt own",
    ]);
    await restore(one, begun);
    assert.deepEqual(
      [world.text("a.txt"), world.text("b.txt"), world.text("c.txt")],
      ["theirs\n", "theirs\n", "the user's\n"],
    );
  });

  it("W1 a file that both write by name is marked for both", async () => {
    const first = one.begin();
    await one.ready([world.path("a.txt")], never);
    world.put("a.txt", "mine\n");
    const second = await write(two, "a.txt", "mine and theirs\n");
    await one.end();
    assert.deepEqual(await planned(one, first), ["change a.txt session"]);
    await restore(one, first);
    assert.equal(world.text("a.txt"), "mine and theirs\n");
    assert.deepEqual(await planned(two, second), ["change a.txt own"]);
    await restore(two, second);
    assert.equal(world.text("a.txt"), "mine\n");
  });

  it("W1 a command in the background does not claim what the other session writes", async () => {
    const begun = await command(one);
    await one.end();
    await one.background(true);
    world.shell("echo served > a.txt");
    await write(two, "b.txt", "theirs\n");
    await one.background(true);
    assert.deepEqual(await planned(one, begun), ["change a.txt own", "change b.txt session"]);
    assert.deepEqual(world.takeReviewed(), ['"one\\n" > "served\\n" a.txt', 'tool: "one\\n" > "theirs\\n" b.txt']);
    await one.background(false);
  });

  it("W1 a session whose window was killed during a command claims nothing afterwards", async () => {
    await command(two);
    await two.close();
    const begun = await command(one);
    world.shell("echo mine > a.txt");
    await one.end();
    assert.deepEqual(await planned(one, begun), ["change a.txt own"]);
  });

  it("W1 a restore of one is a change by another session for the other", async () => {
    const begun = await write(two, "b.txt", "theirs\n");
    const mine = await write(one, "a.txt", "mine\n");
    await restore(two, begun);
    assert.deepEqual(await planned(one, mine), ["change a.txt own", "change b.txt session"]);
  });
});
