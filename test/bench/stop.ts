/** Time from Stop until the stream is closed, the process tree is gone and the result is stored. 100 tries each. */
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import os from "node:os";
import path from "node:path";
import { textPrompt } from "../../src/chat/prompt-input.ts";
import { AgentCatalog } from "../../src/loop/agents/agents.ts";
import { noCheckpoints } from "../../src/loop/checkpoints.ts";
import { noHooks } from "../../src/loop/hooks.ts";
import { defaultLimits } from "../../src/loop/limits.ts";
import { newSession, Session } from "../../src/loop/session/session.ts";
import { noExternalTools } from "../../src/loop/setup/external-tools.ts";
import { noLedger, noLock } from "../../src/loop/storage.ts";
import { KnownFacts } from "../../src/providers/catalog/model-facts.ts";
import { openModel } from "../../src/providers/providers.ts";
import { replay } from "../../src/record/replay.ts";
import { Transcript } from "../../src/record/transcript.ts";
import { coreTools } from "../../src/tools/built-in/core.ts";
import { taskTool } from "../../src/tools/built-in/task.ts";
import { nodeHost } from "../../src/tools/node-host/node-host.ts";
import { registryOf } from "../../src/tools/registry.ts";
import { median, type Report } from "./headless.ts";

const tries = 100;

export async function benchStop(report: Report): Promise<void> {
  for (const what of ["command", "stream"] as const) {
    const times: number[] = [];
    for (let at = 0; at < tries; at++) times.push(await stopOnce(what));
    report(`stop.${what}.median`, median(times), "ms");
    report(`stop.${what}.worst`, Math.max(...times), "ms");
  }
}

/** A shell and its child, both of which ignore SIGTERM. */
const deaf =
  "trap '' TERM; (trap '' TERM; echo $BASHPID > pid; while :; do sleep 1; done) & wait; while :; do sleep 1; done";

async function stopOnce(what: "command" | "stream"): Promise<number> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "rondo-stop-"));
  let closed: Promise<unknown> = Promise.resolve();
  let streaming = false;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (what === "command") return void response.end(reply());
      closed = once(response, "close");
      streaming = true;
      trickle(response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const access = { apiKey: "none", baseURL: `http://127.0.0.1:${address.port}` };
  const model = { providerID: "anthropic", modelID: "bench" };
  const recorder = new Transcript(path.join(folder, "record.jsonl"), () => {});
  const session = new Session(
    newSession(folder),
    { mode: "bypassPermissions", modeEnd: undefined, model, agent: "build", thinking: "default", appended: "" },
    {
      host: nodeHost({ folders: [folder], trusted: true, overflowDir: path.join(folder, "outputs") }),
      tools: registryOf(coreTools),
      taskTool,
      externalTools: noExternalTools,
      toolSearchTools: () => [],
      checkpoints: noCheckpoints,
      sendsWaiting: false,
      ruleUsed() {},
      recorder,
      lock: noLock,
      ledger: noLedger,
      limits: () => defaultLimits,
      facts: new KnownFacts({ limits: () => defaultLimits }),
      platform: process.platform,
      openModel: () => openModel("anthropic", access),
      fallbackModel: () => undefined,
      rules: () => ({ user: [], workspace: [] }),
      keepRules() {},
      project: () => ({
        agents: new AgentCatalog(),
        rules: [],
        memory: undefined,
        branch: undefined,
        root: undefined,
        skills: [],
        problems: [],
      }),
      hooks: noHooks,
      openChild: () => new Transcript(path.join(folder, "child.jsonl"), () => {}),
      attended: false,
      titles: false,
      log: {
        firstByte() {},
        event() {},
        note() {},
        bug: (error) => console.error(error),
      },
    },
  );
  const turn = session.prompt(textPrompt("Go."));
  const pidFile = path.join(folder, "pid");
  await until(() => (what === "command" ? existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "" : streaming));
  const begun = performance.now();
  await session.stop();
  await turn;
  await closed;
  if (what === "command") await until(() => !isAlive(Number(readFileSync(pidFile, "utf8"))));
  if (replay(recorder.path).chat.messages.at(-1)?.info.id === undefined) throw new Error("nothing was stored");
  const took = performance.now() - begun;
  await session.dispose();
  recorder.close();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
  return took;
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 2));
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

const head = {
  type: "message_start",
  message: { id: "m", type: "message", role: "assistant", content: [], usage: {} },
};

function lines(events: readonly ({ type: string } & Record<string, unknown>)[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function reply(): string {
  return lines([
    head,
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "tool_use", id: "toolu_1", name: "bash", input: {} },
    },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: JSON.stringify({ command: deaf }) },
    },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ]);
}

/** Text that never ends. */
function trickle(response: ServerResponse): void {
  response.write(lines([head, { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }]));
  const timer = setInterval(() => {
    response.write(lines([{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "word " } }]));
  }, 5);
  response.on("close", () => clearInterval(timer));
}
