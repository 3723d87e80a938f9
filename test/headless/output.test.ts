import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { calls, messages, places, says } from "./headless-run.ts";

describe("headless run: output", () => {
  const open = places();

  it("a server's word about its window counts, and one that cuts requests in silence is told of", async () => {
    const usage = { input: 4096, output: 5 };
    const place = await open(() => ({ blocks: [{ text: "Yes." }], usage }));
    place.server.facts["/v1/models"] = { data: [{ id: "mine", max_model_len: 50_000 }] };
    const args = ["--base-url", `${place.server.url}/v1`, "--output-format", "stream-json"];
    const told = messages((await place.run([...args, "--provider", "vllm", "--model", "mine", "Hi"])).stdout).at(-1);
    assert.partialDeepStrictEqual(told, { modelUsage: { mine: { contextWindow: 50_000 } } });
    const long = "The committee met on Tuesday to talk about the old bridge. ".repeat(2000);
    const cut = messages((await place.run([...args, "--provider", "ollama", "--model", "other", long])).stdout);
    const notices = cut.filter((one) => one["type"] === "system" && one["subtype"] === "informational");
    assert.equal(notices.length, 1);
    assert.match(String(notices[0]?.["content"]), /left out part.*4,096 tokens.*OLLAMA_CONTEXT_LENGTH/);
    assert.partialDeepStrictEqual(cut.at(-1), { subtype: "success", modelUsage: { other: { contextWindow: 4096 } } });
  });

  it("text: the last answer, exit status 0, and a record that replays", async () => {
    const place = await open([calls("read", { file_path: "a.txt" }), says("It says x.")]);
    place.write("a.txt", "x");
    assert.deepEqual(await place.run(["What does a.txt say?"]), { code: 0, stdout: "It says x.\n", stderr: "" });
    const { chat, broken } = place.replay();
    assert.deepEqual(broken, []);
    assert.equal(chat.messages.length, 3);
    assert.equal(chat.session.title, "What does a.txt say?");
    assert.equal(place.server.requests.length, 2, "no request for a title");
  });

  it("K2 json: the result message", async () => {
    const place = await open([says("Hello.")]);
    const { code, stdout } = await place.run(["--output-format", "json", "--model", "claude-sonnet-5", "Hi"]);
    assert.equal(code, 0);
    const [result, ...more] = messages(stdout);
    assert.deepEqual(more, []);
    assert.partialDeepStrictEqual(result, {
      type: "result",
      subtype: "success",
      is_error: false,
      num_turns: 1,
      result: "Hello.",
      usage: { input_tokens: 100, output_tokens: 20 },
      total_cost_usd: 0.0004,
    });
    assert.ok(result?.["session_id"]);
  });

  it("K2 stream-json: init, replies, results, the result; partial messages when asked for", async () => {
    const script = [calls("read", { file_path: "a.txt" }), says("Done.")];
    const place = await open([...script, ...script]);
    place.write("a.txt", "x");
    const plain = messages((await place.run(["--output-format", "stream-json", "Go"])).stdout);
    const types = ["system", "assistant", "tool_progress", "tool_progress", "user", "assistant", "result"];
    assert.deepEqual(
      plain.map(({ type }) => type),
      types,
    );
    assert.partialDeepStrictEqual(plain[0], { subtype: "init", cwd: place.folder, permissionMode: "default" });
    const more = messages(
      (await place.run(["--output-format", "stream-json", "--include-partial-messages", "Go"])).stdout,
    );
    assert.ok(more.filter(({ type }) => type === "stream_event").length > 8);
    assert.deepEqual(
      more.flatMap(({ type }) => (type === "stream_event" ? [] : [type])),
      types,
    );
  });

  it("E4 OpenAI's format, with a custom model and no key on this machine", async () => {
    const place = await open([calls("read", { file_path: "a.txt" }), says("Done.")]);
    place.write("a.txt", "x");
    const { code, stdout } = await place.run([
      ...["--provider", "openai", "--base-url", `${place.server.url}/v1`, "--model", "qwen", "Go"],
    ]);
    assert.deepEqual([code, stdout], [0, "Done.\n"]);
    assert.equal(place.server.requests[0]?.api, "openai");
    assert.equal(place.server.requests[0]?.body["model"], "qwen");
  });

  it("reads the prompt, or several with --input-format stream-json, from standard input, with a result for each", async () => {
    const place = await open((_, index) => says(`Answer ${index + 1}`));
    assert.equal((await place.run([], { input: "From a pipe\n" })).stdout, "Answer 1\n");
    const line = (content: unknown) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
    const input = `${line("One")}\n${line([{ type: "text", text: "Two" }])}`;
    const { code, stdout } = await place.run(["--input-format", "stream-json", "--output-format", "stream-json"], {
      input,
    });
    assert.equal(code, 0);
    assert.deepEqual(
      messages(stdout).flatMap(({ type, result }) => (type === "result" ? [result] : [])),
      ["Answer 2", "Answer 3"],
    );
    const sent = JSON.stringify(place.server.requests[2]?.body["messages"]);
    assert.ok(sent.includes("One") && sent.includes("Answer 2") && sent.includes("Two"), "one session");
  });

  it("--append-system-prompt, --disallowed-tools and --agent reach the request", async () => {
    const place = await open(() => says("x"));
    await Promise.all([
      place.run(["--append-system-prompt", "Speak French.", "--disallowed-tools", "bash,write", "Hi"]),
      place.run(["--agent", "plan", "Hi"]),
    ]);
    const bodies = place.server.requests.map(({ raw }) => raw);
    const french = bodies.find((raw) => raw.includes("Speak French.")) ?? assert.fail();
    // Without the one that is only there for the cache.
    const names = (raw: string) =>
      (JSON.parse(raw).tools as { name: string; defer_loading?: true }[])
        .filter((tool) => !tool.defer_loading)
        .map(({ name }) => name);
    const others = ["multi_edit", "notebook_edit", "todo_write", "web_fetch"];
    assert.deepEqual(names(french), ["read", "edit", "glob", "grep", ...others, "task"]);
    const plan = bodies.find((raw) => raw !== french) ?? assert.fail();
    assert.deepEqual(names(plan), ["read", "glob", "grep", "bash_output", "todo_write", "task"]);
  });

  it("R7 --no-persist writes nothing to disk", async () => {
    const place = await open([calls("bash", { command: "seq 100000" }), says("Done.")]);
    const tmp = path.join(place.home, "tmp");
    mkdirSync(tmp);
    const args = ["--no-persist", "--permission-mode", "bypassPermissions", "Count"];
    const { code } = await place.run(args, { env: { TMPDIR: tmp } });
    assert.equal(code, 0);
    assert.ok(place.server.requests[1]?.raw.includes("The full output is in"), "a long output was kept meanwhile");
    assert.deepEqual(readdirSync(tmp), []);
    assert.deepEqual(readdirSync(place.home).sort(), ["tmp", "work"]);
    assert.deepEqual(readdirSync(place.folder), []);
  });

  it("without --session-dir sessions are stored in the user's state folder", async () => {
    const place = await open([says("x")]);
    const env = { XDG_STATE_HOME: path.join(place.home, "state") };
    const { code } = await place.startBare(["--base-url", place.server.url, "Hi"], { env }).ended;
    assert.equal(code, 0);
    assert.ok(existsSync(path.join(place.home, "state/rondo/sessions")));
  });
});
