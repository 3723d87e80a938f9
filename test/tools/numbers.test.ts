/** The numbers of the specification's tools, each at its limit and one beyond. */
import assert from "node:assert/strict";
import { bash } from "../../src/tools/built-in/bash.ts";
import type { CallCommand, Host } from "../../src/tools/host.ts";
import { nobodyToAsk, noDelegate } from "../../src/tools/tool.ts";
import { TestWorkspace } from "./workspace.ts";

describe("T9 T10 numbers", () => {
  let work: TestWorkspace;
  beforeEach(() => {
    work = new TestWorkspace();
  });
  afterEach(() => work.dispose());

  const read = async (text: string) => {
    work.put("a.txt", text);
    return (await work.run("read", { file_path: "a.txt" })).output;
  };

  it("T10 read shows 2,000 lines, and of 2,001 the first 2,000", async () => {
    assert.match(await read("x\n".repeat(2000)), /\n {2}2000\tx$/);
    assert.match(await read("x\n".repeat(2001)), /\n {2}2000\tx\n\(lines 1–2000 of 2001; go on with offset 2001\)$/);
  });

  it("T10 read shows a line of 2,000 characters, and cuts one of 2,001", async () => {
    assert.equal(await read("x".repeat(2000)), `     1\t${"x".repeat(2000)}`);
    assert.equal(await read("x".repeat(2001)), `     1\t${"x".repeat(2000)}… (line cut; it has 2001 characters)`);
  });

  it("T9 output of 30,000 characters or 2,000 lines is whole; one more cuts it and keeps it in a file", async () => {
    const print = async (command: string) => (await work.run("bash", { command })).metadata.outputFile;
    assert.equal(await print("head -c 30000 /dev/zero | tr '\\0' x"), undefined);
    assert.notEqual(await print("head -c 30001 /dev/zero | tr '\\0' x"), undefined);
    assert.equal(await print("seq 2000"), undefined);
    assert.notEqual(await print("seq 2001"), undefined);
  });

  it("T10 a command has 120 s unless the model asks for more, and at most 600 s", async () => {
    const given: number[] = [];
    const { background } = work.host;
    const run = (command: CallCommand, callID: string) => {
      given.push(command.timeoutMs);
      return background.run(command, callID);
    };
    const host: Host = { ...work.host, background: Object.assign(Object.create(background), { run }) };
    const { signal } = new AbortController();
    const context = { host, callID: "c", seen: work.seen, signal, delegate: noDelegate, askUser: nobodyToAsk };
    for (const timeout of [undefined, 0, -1, 1, 600_000, 600_001, 1e12]) {
      const input = { command: "true", ...(timeout !== undefined && { timeout }) };
      await (await bash.prepare(input, context)).run(() => {});
    }
    assert.deepEqual(given, [120_000, 120_000, 120_000, 1, 600_000, 600_000, 600_000]);
  });

  it("T10 a time limit ends the command and all that it has started", async () => {
    const { output, failed } = await work.run("bash", { command: "echo begun; sleep 60 & sleep 60", timeout: 300 });
    assert.equal(failed, true);
    assert.match(output, /^begun\n\nThe command was stopped after .*, its time limit, with all it had started/);
  });
});
