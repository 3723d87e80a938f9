/** T11: the tools of the reference server, over both transports. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { pathToFileURL } from "node:url";
import { call, endAll, everything, planOf, type Running, ready, stateOf, toolOf } from "./mcp.ts";

describe("the reference server", () => {
  describe("over standard input and output", () => {
    let running: Running;
    before(async () => {
      running = await ready({ everything });
    });
    after(endAll);
    sameOverBoth(() => running);

    it("T11 gets the workspace's folders", async () => {
      const { output } = await call(running, "mcp__everything__get-roots-list");
      assert.match(output, new RegExp(pathToFileURL(running.folder).href));
    });

    it("T11 sees the user's environment without keys", async () => {
      const { output } = await call(running, "mcp__everything__get-env");
      assert.match(output, /RONDO_MCP_TEST/);
      assert.doesNotMatch(output, /sk-secret/);
    });
  });

  describe("over HTTP", () => {
    let running: Running;
    let server: ChildProcess;
    before(async () => {
      const port = await freePort();
      server = spawn(process.execPath, [everything.args[0] ?? "", "streamableHttp"], {
        env: { ...process.env, PORT: String(port) },
        stdio: ["ignore", "ignore", "pipe"],
      });
      await new Promise<void>((resolve) => {
        server.stderr?.on("data", (chunk: Buffer) => String(chunk).includes("listening") && resolve());
      });
      running = await ready({ everything: { url: `http://127.0.0.1:${port}/mcp` } });
    });
    after(async () => {
      await endAll();
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGKILL");
      await ended;
    });
    sameOverBoth(() => running);
  });
});

function sameOverBoth(running: () => Running): void {
  it("T11 offers its tools, each with its own permission", async () => {
    const state = stateOf(running(), "everything");
    assert.equal(state.type, "ready");
    const names = running()
      .servers.tools()
      .map(({ name }) => name);
    for (const name of ["echo", "get-sum", "get-tiny-image"]) assert.ok(names.includes(`mcp__everything__${name}`));
    const echo = toolOf(running(), "mcp__everything__echo");
    assert.equal(echo.sideEffect, "network");
    assert.deepEqual(echo.schema["required"], ["message"]);
    const plan = await planOf(echo, { message: "hello" });
    assert.deepEqual(plan.requires, [
      {
        permission: "mcp__everything__echo",
        pattern: '{"message":"hello"}',
        suggestedRule: "*",
        match: "pattern",
        protection: "none",
        effect: "calls the server everything",
      },
    ]);
    assert.equal(plan.writes, "unknown");
  });

  it("T11 answers with text, and explains a wrong input", async () => {
    assert.equal((await call(running(), "mcp__everything__echo", { message: "hello" })).output, "Echo: hello");
    assert.match((await call(running(), "mcp__everything__get-sum", { a: 2, b: 40 })).output, /\b42\b/);
    const failed = await call(running(), "mcp__everything__get-sum", { a: "two" });
    assert.equal(failed.failed, true);
    assert.match(failed.output, /\ba\b/);
  });

  it("T11 answers with an image", async () => {
    const { output, attachments = [] } = await call(running(), "mcp__everything__get-tiny-image");
    assert.match(output, /An image is attached: image\/png/);
    assert.equal(attachments.length, 1);
    assert.match(attachments[0]?.url ?? "", /^data:image\/png;base64,iVBOR/);
  });

  it("T11 answers with structured content once, although it is sent twice", async () => {
    const { output } = await call(running(), "mcp__everything__get-structured-content", { location: "Chicago" });
    assert.equal(output.match(/humidity/g)?.length, 1);
  });

  it("T11 answers with resources and links to them", async () => {
    const links = await call(running(), "mcp__everything__get-resource-links", { count: 2 });
    assert.match(links.output, /demo:\/\/resource/);
    const text = await call(running(), "mcp__everything__get-resource-reference", {
      resourceType: "Text",
      resourceId: 2,
    });
    assert.match(text.output, /demo:\/\/resource\/dynamic\/text\/2:\n/);
  });

  it("T11 reports progress", async () => {
    const told: string[] = [];
    const result = await call(
      running(),
      "mcp__everything__trigger-long-running-operation",
      { duration: 0.6, steps: 3 },
      { progress: (text) => told.push(text) },
    );
    assert.match(result.output, /completed/);
    assert.deepEqual(told.slice(0, 2), ["1 of 3", "2 of 3"]);
  });

  it("T11 can be stopped during a call, and answers the next one", async () => {
    const stop = new AbortController();
    const reason = new Error("stopped");
    const long = call(
      running(),
      "mcp__everything__trigger-long-running-operation",
      { duration: 30, steps: 300 },
      { signal: stop.signal, progress: () => stop.abort(reason) },
    );
    await assert.rejects(long, reason);
    assert.equal((await call(running(), "mcp__everything__echo", { message: "still" })).output, "Echo: still");
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("There is no port");
  return address.port;
}
