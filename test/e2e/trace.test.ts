/** The trace of a session: its page, its export, and the spans that a collector gets. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Frame, Locator } from "playwright-core";
import type { CallTrace, Trace } from "../../src/chat/trace.ts";
import { until } from "../timing.ts";
import { seriousFindings } from "./accessibility.ts";
import { heldAnswer } from "./held-answer.ts";
import { answer, press, question, said, say, status } from "./panel-actions.ts";
import { openWindow, type Window } from "./window.ts";

const run = (command: string) => ({ call: { name: "bash", input: { command } } });
const task = { description: "Count the lines", prompt: "How many lines has the cart?", subagent_type: "explore" };
const read = { call: { name: "read", input: { file_path: "src/cart.js" } } };
const asked = /asked: Run this command\? · waited \d[^·]+ · Asks because no rule allows it/;

async function showTrace(window: Window, panel: Frame): Promise<Locator> {
  await window.command("Rondo: Show Trace");
  const page = panel.getByRole("region", { name: "Trace", exact: true });
  await page.waitFor();
  return page;
}

interface Span {
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
}

describe("trace", () => {
  let window: Window;
  let panel: Frame;
  let collector: Server;
  const received: { url: string | undefined; body: string }[] = [];
  before(async () => {
    collector = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      received.push({ url: request.url, body: Buffer.concat(chunks).toString() });
      response.end("{}");
    }).listen(0, "127.0.0.1");
    await once(collector, "listening");
    const { port } = collector.address() as AddressInfo; // listens on a port
    window = await openWindow({ settings: { "rondo.trace.collector": `http://127.0.0.1:${port}` } });
    panel = await window.panel();
  });
  after(async () => {
    await window?.close();
    collector.close();
  });

  it("K1 shows steps, calls, questions, deciding rules and subagents while the chat runs", async () => {
    const page = await showTrace(window, panel);
    await page.getByText("Nothing to show yet. Send a message.").waitFor();
    const last = heldAnswer();
    window.plays(
      [{ text: "I count." }, run("echo counted > counted.txt"), { call: { name: "task", input: task } }],
      [read],
      [{ text: "It has some forty lines." }],
      last.answer,
    );
    await say(panel, "how long is the cart?");
    await question(panel, /command/);
    await showTrace(window, panel);
    await page.getByText(/^1 step ·/).waitFor();
    assert.equal(await page.getByText(asked).count(), 0, "nothing is decided yet");
    await answer(panel, "Allow once", /command/);
    await page.getByText(asked).waitFor();
    await page.getByText(/^2 steps ·/).waitFor();

    const [turn] = await page.getByRole("region", { name: /^Turn at/ }).all();
    assert.ok(turn);
    const steps = turn.locator(":scope > ol > li");
    assert.equal(await steps.count(), 2);
    const [command, subagent] = await steps.first().locator(":scope > ol > li").all();
    assert.match((await command?.innerText()) ?? "", /echo counted/);
    const words = (await subagent?.innerText()) ?? "";
    assert.match(words, /Count the lines[\s\S]*Each call of a subagent is checked/);
    assert.match(
      words,
      /Model \S+[\s\S]*first byte[\s\S]*src\/cart\.js[\s\S]*Reading in the workspace needs no permission/,
    );
    assert.match(await steps.first().innerText(), /first byte [\d.]+ m?s · 100 in · 0 % cached · 20 out/);
    assert.deepEqual(await seriousFindings(panel), []);
    last.release();
    await status(panel, /Done/);
  });

  it("K1 exports the trace as JSON", async () => {
    await press(panel, "Export JSON…");
    await window.chooseFile("trace.json");
    await window.page.locator(".tab", { hasText: "trace.json" }).waitFor();
    const trace: Trace = JSON.parse(await window.read("trace.json"));
    const [first, second] = trace.turns[0]?.steps ?? [];
    assert.ok(first && second && trace.turns.length === 1);
    assert.deepEqual(
      first.calls.map(({ tool }) => tool),
      ["bash", "task"],
    );
    const [command, subagent]: (CallTrace | undefined)[] = first.calls;
    assert.equal(command?.decision?.question, "Run this command?");
    assert.ok(command.decision.waitedMs > 0);
    assert.ok(first.firstByteMs !== undefined && second.firstByteMs !== undefined);
    assert.equal(subagent?.turns[0]?.agent, "explore");
    assert.equal(subagent.turns[0].steps[0]?.calls[0]?.tool, "read");
  });

  it("K1 sends the finished turn to the collector as spans with the standard names, without any content", async () => {
    await until(() => received.length > 0);
    assert.equal(received.length, 1, "the subagent's turn is part of its parent's");
    const [{ url, body } = { url: "", body: "" }] = received;
    assert.equal(url, "/v1/traces");
    const spans: Span[] = JSON.parse(body).resourceSpans[0].scopeSpans[0].spans;
    const value = (span: Span | undefined, key: string) =>
      Object.values(span?.attributes.find((attribute) => attribute.key === key)?.value ?? {})[0];
    const named = (name: string) => spans.filter((span) => span.name === name);
    const parentOf = (span: Span | undefined) => spans.find(({ spanId }) => spanId === span?.parentSpanId)?.name;
    const [turn] = named("invoke_agent build");
    const chats = spans.filter(({ name }) => name.startsWith("chat "));
    assert.deepEqual(chats.map(parentOf).sort(), [
      ...["invoke_agent build", "invoke_agent build"],
      ...["invoke_agent explore", "invoke_agent explore"],
    ]);
    assert.equal(parentOf(named("invoke_agent explore")[0]), "execute_tool task");
    assert.equal(parentOf(named("execute_tool read")[0]), "invoke_agent explore");
    assert.equal(value(turn, "gen_ai.operation.name"), "invoke_agent");
    assert.equal(value(turn, "gen_ai.agent.name"), "build");
    assert.equal(value(chats[0], "gen_ai.operation.name"), "chat");
    assert.equal(value(chats[0], "gen_ai.provider.name"), "anthropic");
    assert.equal(value(chats[0], "gen_ai.usage.input_tokens"), "100");
    assert.equal(value(chats[0], "gen_ai.usage.output_tokens"), "20");
    const [command] = named("execute_tool bash");
    assert.equal(value(command, "gen_ai.tool.name"), "bash");
    assert.equal(value(command, "rondo.permission.asked"), true);
    assert.doesNotMatch(body, /how long is the cart|forty lines|counted|Run this command/);
  });

  it("logs no error of its own to the console", () => {
    assert.deepEqual(window.errors, []);
  });
});

describe("trace without a collector", () => {
  let window: Window;
  before(async () => {
    window = await openWindow();
  });
  after(() => window?.close());

  it("K1 measures while its page is open, and starts again without the earlier measurements when it is reopened", async () => {
    const panel = await window.panel();
    const last = heldAnswer();
    window.plays(
      [run("echo one > one.txt")],
      [run("echo two > two.txt")],
      [run("echo three > three.txt")],
      last.answer,
    );
    const rows = async (page: Locator) => {
      const calls = await page.locator("ol ol > li").allInnerTexts();
      return calls.map((words) => asked.test(words));
    };
    await say(panel, "count to three");
    await question(panel, /command/);
    const page = await showTrace(window, panel);
    await answer(panel, "Allow once", /command/);
    await page.getByText(asked).waitFor();
    await question(panel, /command/);
    assert.deepEqual(await rows(page), [true, false]);

    await press(panel, "Back to the conversation");
    await page.waitFor({ state: "detached" });
    await answer(panel, "Allow once", /command/);
    await question(panel, /command/);
    await showTrace(window, panel);
    await page.getByText(/^3 steps ·/).waitFor();
    assert.deepEqual(await rows(page), [false, false, false], "nothing is kept while the page is closed");

    await answer(panel, "Allow once", /command/);
    await page.getByText(asked).waitFor();
    assert.deepEqual(await rows(page), [false, false, true]);
    last.release();
    await status(panel, /Done/);
    await press(panel, "Back to the conversation");
    await said(panel, "word79");
  });
});
