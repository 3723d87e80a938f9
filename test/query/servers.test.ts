/** MCP servers of a run, with the reference server from npm. */
import assert from "node:assert/strict";
import path from "node:path";
import { calls, ofType, resultOf, results, says, worlds } from "./world.ts";

const everything = {
  command: process.execPath,
  args: [path.resolve("node_modules/@modelcontextprotocol/server-everything/dist/index.js"), "stdio"],
};

describe("query(): MCP servers", () => {
  const open = worlds();
  const echo = calls(["mcp__everything__echo", { message: "hello" }]);

  it("K2 T11 the caller's servers start, and their tools are offered and asked for by name", async () => {
    const world = await open([echo, says("Done.")]);
    const messages = await world.run("Go", { mcpServers: { everything }, allowedTools: ["mcp__everything__echo"] });
    assert.equal(resultOf(messages).subtype, "success");
    assert.match(JSON.stringify(results(messages)), /hello/);
    assert.match(world.raws[0] ?? "", /"mcp__everything__echo"/);
    const [init] = ofType(messages, "system");
    assert.partialDeepStrictEqual(init, { mcp_servers: [{ name: "everything" }] });
  });

  it("K2 calls that no rule allows are denied when nobody can answer", async () => {
    const world = await open([echo, says("Done.")]);
    const messages = await world.run("Go", { mcpServers: { everything } });
    assert.match(JSON.stringify(results(messages)), /Not allowed/);
  });

  it("K2 a server that cannot start is reported once, and the run continues without it", async () => {
    const world = await open([says("Hi."), says("Again.")]);
    const bad = { command: "/nowhere/at/all" };
    assert.equal(resultOf(await world.run("Go", { mcpServers: { bad } })).subtype, "success");
    assert.equal(world.notes.filter((note) => /The MCP server bad cannot be used/.test(note)).length, 1);
  });

  it("K2 a server defined by the folder starts only when the caller allows it", async () => {
    for (const allowProjectMcpServers of [false, true]) {
      const world = await open([says("Hi.")]);
      world.write(".mcp.json", JSON.stringify({ mcpServers: { everything } }));
      await world.run("Go", { allowProjectMcpServers });
      assert.equal((world.raws[0] ?? "").includes("mcp__everything__echo"), allowProjectMcpServers);
    }
  });
});
