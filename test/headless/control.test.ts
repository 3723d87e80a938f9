/** Features of `query()` from the command line. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { until } from "../loop/harness.ts";
import { begins, calls, messages, type Place, places, type Started, says } from "./headless-run.ts";

const line = (message: Record<string, unknown>) => `${JSON.stringify(message)}\n`;
const prompt = (content: unknown) => line({ type: "user", message: { role: "user", content } });
const control = (request: Record<string, unknown>) => line({ type: "control_request", request_id: "r1", request });

const streaming = ["--input-format", "stream-json", "--output-format", "stream-json"];

/** Starts a run whose standard input stays open. */
function converse(place: Place, args: string[] = []): Started & { say(text: string): void; heard(): unknown[] } {
  const started = place.start([...streaming, ...args], { input: "open" });
  let out = "";
  started.child.stdout?.on("data", (text: string) => {
    out += text;
  });
  return {
    ...started,
    say: (text) => started.child.stdin?.write(text),
    heard: () => messages(out.slice(0, out.lastIndexOf("\n") + 1)),
  };
}

const results = (heard: unknown[]) => heard.filter((one) => Object(one).type === "result");

describe("headless run: control", () => {
  const open = places();

  it("K2 L11 a control_request interrupts the prompt; the next one is answered", async () => {
    const place = await open([begins("Half"), says("Whole.")]);
    const { child, ended, say, heard } = converse(place);
    say(prompt("One"));
    await until(() => place.server.requests.length === 1);
    say(control({ subtype: "interrupt" }));
    await until(() => results(heard()).length === 1);
    say(prompt("Two"));
    child.stdin?.end();
    const { code, stdout } = await ended;
    assert.equal(code, 0);
    assert.partialDeepStrictEqual(results(messages(stdout)), [
      { exit_reason: "interrupted" },
      { subtype: "success", result: "Whole." },
    ]);
    const response = messages(stdout).find(({ type }) => type === "control_response");
    assert.partialDeepStrictEqual(response, { response: { subtype: "success", request_id: "r1" } });
  });

  it("K2 control_requests change mode and model between prompts", async () => {
    const place = await open([says("One."), calls("write", { file_path: "a.txt", content: "a" }), says("Two.")]);
    const { child, ended, say, heard } = converse(place);
    say(prompt("One"));
    await until(() => results(heard()).length === 1);
    say(control({ subtype: "set_permission_mode", mode: "acceptEdits" }));
    say(control({ subtype: "set_model", model: "claude-haiku-4-5" }));
    say(prompt([{ type: "text", text: "Two" }]));
    child.stdin?.end();
    assert.equal((await ended).code, 0);
    assert.equal(place.read("a.txt"), "a");
    assert.equal(place.server.requests[1]?.body["model"], "claude-haiku-4-5");
  });

  it("K2 a line of input may hold U+2028 and U+2029", async () => {
    const place = await open([says("Hi.")]);
    const content = "one\u2028two\u2029three";
    const input = line({ type: "user", message: { role: "user", content } });
    assert.equal((await place.run(streaming, { input })).code, 0);
    assert.ok(place.server.requests[0]?.raw.includes(content));
    const call = line({ tool: "bash", input: { command: `echo '${content}'` } });
    assert.equal(messages((await place.run(["--explain"], { input: call })).stdout).length, 1);
  });

  it("P4 --agent takes an agent of the folder, and --explain uses its permissions", async () => {
    const place = await open([says("Roses are red.")]);
    place.write(".claude/agents/poet.md", "---\nname: poet\ndescription: Verse.\ntools: Read\n---\nYou write verse.");
    assert.equal((await place.run(["--agent", "poet", "Write"])).stdout, "Roses are red.\n");
    const sent = place.server.requests[0]?.raw ?? "";
    assert.ok(sent.includes("You write verse.") && !sent.includes('"name":"bash"'));
    const input = line({ tool: "bash", input: { command: "ls" } });
    const bypass = ["--explain", "--permission-mode", "bypassPermissions"];
    const [own] = messages((await place.run([...bypass, "--agent", "poet"], { input })).stdout);
    const [usual] = messages((await place.run(bypass, { input })).stdout);
    assert.deepEqual([own?.["decision"], usual?.["decision"]], ["deny", "allow"]);
    const task = { tool: "task", input: { subagent_type: "poet", description: "Verse", prompt: "Write." } };
    const [handed] = messages((await place.run(["--explain"], { input: line(task) })).stdout);
    assert.equal(handed?.["decision"], "allow");
    const gone = await place.run(["--agent", "nobody", "Hi"]);
    assert.equal(gone.code, 2);
    assert.match(gone.stderr, /no agent named "nobody".*poet/);
  });

  it("K4 hooks of the folder run with --project-hooks alone, those of --settings always; with --untrusted none run", async () => {
    const place = await open(() => says("Hi."));
    const hooks = (command: string) => ({ UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] });
    const file = path.join(place.home, "settings.json");
    place.write("../settings.json", JSON.stringify({ hooks: hooks("echo It is raining.") }));
    place.write(".claude/settings.json", JSON.stringify({ hooks: hooks("echo The sun shines.") }));
    const allowed = await place.run(["--settings", file, "--project-hooks", "Hi"]);
    const usual = await place.run(["--settings", file, "Hi"]);
    await place.run(["--settings", file, "--project-hooks", "--untrusted", "Hi"]);
    const [both = "", own = "", none = ""] = place.server.requests.map(({ raw }) => raw);
    assert.ok(both.includes("It is raining.") && both.includes("The sun shines."));
    assert.ok(own.includes("It is raining.") && !own.includes("The sun shines."));
    assert.ok(!none.includes("It is raining.") && !none.includes("The sun shines."));
    const note =
      "rondo: The hooks of .claude/settings.json are not run: allowProjectHooks (--project-hooks) allows them.\n";
    assert.deepEqual([allowed.stderr, usual.stderr], ["", note]);
    place.write("../settings.json", JSON.stringify({ hooks: hooks("echo Not today. >&2; exit 2") }));
    const blocked = await place.run(["--settings", file, "Hi"]);
    assert.equal(blocked.code, 1);
    assert.match(blocked.stderr, /Not today\./);
  });

  it("--fork-session does not change the original; --fallback-model takes over; --max-daily-budget-usd ends the run", async () => {
    const overloaded = { status: 529, body: { type: "error", error: { type: "overloaded_error", message: "busy" } } };
    const place = await open(({ body }, index) => (body["model"] === "busy" ? overloaded : says(`Answer ${index}`)));
    await place.run(["--session-id", "mine", "--model", "claude-sonnet-5", "Alpha"]);
    const record = () => readFileSync(path.join(place.sessions, "mine.jsonl"), "utf8");
    const before = record();
    const fork = await place.run(["--resume", "mine", "--fork-session", "--session-id", "fork", "Beta"]);
    assert.equal(fork.code, 0, fork.stderr);
    assert.equal(record(), before);
    assert.ok(place.server.requests[1]?.raw.includes("Alpha"));
    const other = ["--model", "busy", "--fallback-model", "claude-haiku-4-5", "--max-retries", "0"];
    assert.match((await place.run([...other, "Gamma"])).stdout, /^Answer/);
    const poor = await place.run(["--max-daily-budget-usd", "0.0001", "Delta"]);
    assert.equal(poor.code, 1);
    assert.match(poor.stderr, /budget/);
  });

  it("C1 --context-window overrides that of a known model", async () => {
    const full = (text: string) => ({ blocks: [{ text }], usage: { input: 15_000, output: 500 } });
    const place = await open([full("One."), full("NO_REPLY"), full("A summary."), says("Two.")]);
    const args = ["--model", "claude-sonnet-5", "--context-window", "16000", "--output-format", "stream-json"];
    const input = prompt("One") + prompt("Two");
    const { stdout } = await place.run([...args, "--input-format", "stream-json"], { input });
    const boundary = messages(stdout).find(({ subtype }) => subtype === "compact_boundary");
    assert.partialDeepStrictEqual(boundary, { compact_metadata: { trigger: "auto" } });
  });
});
