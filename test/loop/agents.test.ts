import assert from "node:assert/strict";
import { type Agent, AgentCatalog, isSwitchedOn } from "../../src/loop/agents/agents.ts";
import { IntakeError } from "../../src/loop/session/intake-error.ts";

function agent(name: string, more: Partial<Agent> = {}): Agent {
  return { ...new AgentCatalog().find("build"), name, source: "workspace", ...more };
}

describe("agents", () => {
  it("P4 knows the built-in agents: two for the user, two for other agents, four internal ones", () => {
    const shown = new AgentCatalog()
      .all()
      .map(({ name, mode, hidden, readOnly }) => ({ name, mode, hidden, readOnly }));
    assert.deepEqual(shown, [
      { name: "build", mode: "primary", hidden: false, readOnly: false },
      { name: "plan", mode: "primary", hidden: false, readOnly: true },
      { name: "explore", mode: "subagent", hidden: false, readOnly: true },
      { name: "general", mode: "subagent", hidden: false, readOnly: false },
      { name: "compaction", mode: "all", hidden: true, readOnly: true },
      { name: "title", mode: "all", hidden: true, readOnly: true },
      { name: "commit", mode: "all", hidden: true, readOnly: true },
      { name: "inline", mode: "all", hidden: true, readOnly: true },
    ]);
    for (const { name, prompt, description } of new AgentCatalog().all()) {
      assert.ok(prompt.length > 50 && description.length > 10, name);
    }
  });

  it("P4 internal agents have no tools", () => {
    for (const name of ["compaction", "title", "commit", "inline"]) {
      const { tools } = new AgentCatalog().find(name);
      assert.equal(isSwitchedOn(tools, "read"), false);
      assert.equal(isSwitchedOn(tools, "mcp__files__read"), false);
    }
  });

  it("P4 a custom agent replaces the built-in one of the same name, and the last of several wins", () => {
    const catalog = new AgentCatalog([
      agent("build", { prompt: "far" }),
      agent("mine"),
      agent("build", { prompt: "near" }),
    ]);
    assert.equal(catalog.find("build").prompt, "near");
    assert.equal(catalog.all().filter(({ name }) => name === "build").length, 1);
    assert.equal(catalog.find("mine").source, "workspace");
  });

  it("P4 plan never changes anything, even when a file redefines it", () => {
    const catalog = new AgentCatalog([agent("plan", { readOnly: false, prompt: "go wild" })]);
    assert.equal(catalog.find("plan").readOnly, true);
    assert.equal(catalog.find("plan").prompt, "go wild");
  });

  it("M1 an agent without a prompt uses the default one", () => {
    const catalog = new AgentCatalog([agent("plan", { prompt: "" }), agent("quick", { prompt: "" })]);
    assert.equal(catalog.find("plan").prompt, new AgentCatalog().find("plan").prompt);
    assert.equal(catalog.find("quick").prompt, new AgentCatalog().find("build").prompt);
  });

  it("P3 lists the agents, and what is wrong with a broken one", () => {
    const catalog = new AgentCatalog([agent("mine")], new Map([["bad", "temperature must be a number"]]));
    assert.throws(
      () => catalog.find("none"),
      (error) =>
        error instanceof IntakeError &&
        error.code === "agent-not-found" &&
        error.status === 404 &&
        error.message.includes("build, plan, explore, general, mine.") &&
        !error.message.includes("title"),
    );
    assert.throws(
      () => catalog.find("bad"),
      (error) =>
        error instanceof IntakeError &&
        error.code === "agent-invalid" &&
        error.status === 400 &&
        error.message === "temperature must be a number",
    );
  });

  it("P4 a broken file does not hide a valid agent of the same name", () => {
    const catalog = new AgentCatalog([], new Map([["build", "broken"]]));
    assert.equal(catalog.find("build").source, "built-in");
  });

  const switches: [Record<string, boolean>, string, boolean][] = [
    [{}, "bash", true],
    [{ bash: false }, "bash", false],
    [{ bash: false }, "read", true],
    [{ "*": false, read: true }, "read", true],
    [{ "*": false, read: true }, "bash", false],
    [{ read: true, "*": false }, "read", false],
    [{ "*": false, "mcp__git__*": true }, "mcp__git__log", true],
    [{ "*": false, "mcp__git__*": true }, "mcp__gitlab__log", false],
    [{ "mcp__*__delete": false }, "mcp__git__delete", false],
    [{ "mcp__*__delete": false }, "mcp__delete", true],
    [{ "a*b*c": false }, "axbxc", false],
    [{ "a*b*c": false }, "axcxb", true],
    [{ "a*bc*c": false }, "abc", true],
    [{ "*ash": false }, "bash", false],
  ];
  for (const [given, tool, on] of switches) {
    it(`P1 ${JSON.stringify(given)} leaves ${tool} ${on ? "on" : "off"}`, () => {
      assert.equal(isSwitchedOn(given, tool), on);
    });
  }
});
