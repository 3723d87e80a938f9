import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { calls, type Ended, messages, places, says } from "./headless-run.ts";

/** Checks that standard error holds the reason in one line. */
function checkSentence({ stderr }: Ended, words: RegExp): void {
  assert.match(stderr, /^rondo: [^\n]{20,}\n$/);
  assert.match(stderr, words);
}

describe("headless run: failures", () => {
  const open = places();

  it("exit status 1 and a message: a wrong key, an unknown model, a failing server", async () => {
    const error = (type: string, message: string) => ({ type: "error", error: { type, message } });
    const table = [
      [401, error("authentication_error", "invalid x-api-key"), /key/i],
      [404, error("not_found_error", "model: claude-nothing"), /model/i],
      [500, error("api_error", "Internal server error"), /500|fail|error/i],
    ] as const;
    await Promise.all(
      table.map(async ([status, body, words]) => {
        const place = await open(() => ({ status, body }));
        const ended = await place.run(["--max-retries", "0", "--output-format", "json", "Hi"]);
        assert.equal(ended.code, 1);
        checkSentence(ended, words);
        assert.ok(!ended.stderr.includes("test-key"));
        const [result] = messages(ended.stdout);
        assert.partialDeepStrictEqual(result, { subtype: "error_during_execution", is_error: true });
      }),
    );
  });

  it("H2 retries after an overload, then succeeds", async () => {
    const place = await open([{ status: 529, headers: { "retry-after-ms": "10" } }, says("At last.")]);
    const { code, stdout } = await place.run(["Hi"]);
    assert.deepEqual([code, stdout], [0, "At last.\n"]);
  });

  it("no key: exit status 1, a message with the variable's name, and no request", async () => {
    const place = await open([]);
    const ended = await place.startBare(["--session-dir", place.sessions, "Hi"]).ended;
    assert.equal(ended.code, 1);
    checkSentence(ended, /There is no key for Anthropic\..*ANTHROPIC_API_KEY/);
    const { chat } = place.replay();
    assert.equal(chat.messages.length, 2, "the prompt is kept");
  });

  it("an unreachable server: exit status 1 and a message that names it", async () => {
    const place = await open([]);
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    await new Promise((resolve) => server.close(resolve));
    const ended = await place.run(["--base-url", `http://127.0.0.1:${port}`, "--max-retries", "0", "Hi"]);
    assert.equal(ended.code, 1);
    checkSentence(ended, new RegExp(`127\\.0\\.0\\.1:${port}`));
  });

  it("--max-turns and --max-budget-usd: exit status 1, a message and the subtype", async () => {
    const place = await open(() => calls("read", { file_path: "." }));
    const [turns, budget] = await Promise.all([
      place.run(["--max-turns", "2", "--output-format", "json", "Go"]),
      place.run(["--max-budget-usd", "0.0003", "--output-format", "json", "Go"]),
    ]);
    assert.equal(turns.code, 1);
    checkSentence(turns, /--max-turns/);
    assert.partialDeepStrictEqual(messages(turns.stdout)[0], { subtype: "error_max_turns", num_turns: 2 });
    assert.equal(budget.code, 1);
    checkSentence(budget, /--max-budget-usd/);
    assert.partialDeepStrictEqual(messages(budget.stdout)[0], { subtype: "error_max_budget_usd", num_turns: 1 });
  });

  it("B2 a budget and a model without a price: nothing is asked, and the sentence names the option", async () => {
    const place = await open(() => says("Hello."));
    const args = ["--model", "mine", "--output-format", "json"];
    const refused = await place.run([...args, "--max-budget-usd", "1", "Hi"]);
    assert.equal(refused.code, 1);
    checkSentence(refused, /price of anthropic\/mine.*--prices.*--max-budget-tokens/);
    const prices = path.join(place.folder, "prices.json");
    writeFileSync(prices, '{"mine": {"input": 1, "output": 2}}');
    const priced = await place.run([...args, "--prices", prices, "--max-budget-usd", "1", "Hi"]);
    const [result] = messages(priced.stdout);
    assert.partialDeepStrictEqual(result, { subtype: "success", known_cost: { partial: false, estimated: false } });
    const [unknown] = messages((await place.run([...args, "Hi"])).stdout);
    assert.partialDeepStrictEqual(unknown, { total_cost_usd: null, known_cost: { usd: 0, partial: true } });
    const tokens = await place.run([...args, "--max-budget-tokens", "1", "Hi"]);
    assert.equal(tokens.code, 0, "the limit is looked at before the next request");
    const again = await place.run([...args, "--continue", "--max-budget-tokens", "1", "Hi"]);
    assert.equal(again.code, 1);
    checkSentence(again, /--max-budget-tokens/);
  });

  it("E5 an answer that is cut off: exit status 1, and the received part is kept", async () => {
    const place = await open(() => ({ blocks: [{ text: "Half an answer", pieces: 3 }], cutAt: 700, delay: 5 }));
    const ended = await place.run(["--max-retries", "0", "Hi"]);
    assert.equal(ended.code, 1);
    checkSentence(ended, /lost|before it was complete/);
    const part = place.replay().chat.messages[1]?.parts.find(({ type }) => type === "text");
    assert.ok(part?.type === "text" && "Half an answer".startsWith(part.text) && part.text !== "");
  });

  it("a session folder that cannot be created: exit status 1 and a message", async () => {
    const place = await open([]);
    const file = place.write("file", "");
    const ended = await place.run(["--session-dir", path.join(file, "sessions"), "Hi"]);
    assert.equal(ended.code, 1);
    checkSentence(ended, /folder for sessions cannot be created/);
  });

  it("invalid arguments: exit status 2 and a message, before any request or write", async () => {
    const place = await open([]);
    const table: [string[], RegExp][] = [
      [["--nonsense", "Hi"], /--nonsense/],
      [[" \n"], /empty/],
      [[], /no prompt/],
      [["--cwd", path.join(place.folder, "gone"), "Hi"], /no folder .*gone/],
      [["--agent", "nobody", "Hi"], /no agent named "nobody"/],
      [["--provider", "openai", "Hi"], /--model/],
      [["--resume", "ses_gone", "Hi"], /no session "ses_gone"/],
      [["--continue", "Hi"], /no session .* to continue/],
    ];
    await Promise.all(
      table.map(async ([args, words]) => {
        const ended = await place.run(args);
        assert.equal(ended.code, 2, `${args.join(" ")}: ${ended.stderr}`);
        checkSentence(ended, words);
        assert.equal(ended.stdout, "");
      }),
    );
    assert.equal(place.server.requests.length, 0);
  });

  it("--help: exit status 0", async () => {
    const { code, stdout } = await (await open([])).run(["--help"]);
    assert.equal(code, 0);
    assert.match(stdout, /^Usage: /);
  });

  it("invalid lines of standard input: exit status 2 and the line", async () => {
    const place = await open([]);
    const ended = await place.run(["--input-format", "stream-json"], { input: '{"type":"tea"}\n' });
    assert.equal(ended.code, 2);
    checkSentence(ended, /\{"type":"tea"\}/);
  });
});
