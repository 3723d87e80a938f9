/** Time to open, list and search long sessions and many sessions. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";
import type { RecordedEvent } from "../../src/chat/events.ts";
import type { AssistantMessage, Part, UserMessage } from "../../src/chat/message.ts";
import { newSession } from "../../src/loop/session/session.ts";
import { Sessions } from "../../src/record/sessions.ts";
import { median, type Report } from "./headless.ts";

const program = path.join(import.meta.dirname, "../../dist/headless.js");
const model = { providerID: "anthropic", modelID: "bench" };
const tokens = { input: 1000, output: 20, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
const rounds = 7;
/** Messages of the long session; each has four parts. */
const steps = 2500;
const manySessions = 1000;
const line = '  const value = compute(input, { retries: 3 }); // "quoted" text\n';

export async function benchRecord(report: Report): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "rondo-bench-"));
  try {
    await benchLong(new Sessions(path.join(folder, "long")), report);
    await benchMany(new Sessions(path.join(folder, "many")), report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchLong(sessions: Sessions, report: Report): Promise<void> {
  writeLong(sessions, "long", steps, line.repeat(300));
  writeLong(sessions, "short", 1, line);
  report("record.size", statSync(sessions.path("long")).size / 1e6, "MB");
  const started = performance.now();
  const { messages } = sessions.open("long").chat;
  report("record.replay", performance.now() - started, "ms");
  report(
    "record.parts",
    messages.map(({ parts }) => parts.length).reduce((sum, some) => sum + some),
    "parts",
  );
  const times = { long: [] as number[], short: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    for (const which of ["short", "long"] as const) {
      const time = await firstRequest(sessions.folder, which);
      // The first round fills the caches.
      if (round > 0) times[which].push(time);
    }
  }
  // The start of the process is the same for both.
  report("record.open", median(times.long) - median(times.short), "ms");
}

/** Measures the milliseconds from the start of the process to its first request. */
async function firstRequest(folder: string, id: string): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const options = {
    cwd: folder,
    provider: "anthropic",
    "base-url": `http://127.0.0.1:${address.port}`,
    model: "bench",
  };
  const args = Object.entries({ ...options, "session-dir": folder, resume: id }).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ]);
  const started = performance.now();
  const child = spawn(process.execPath, [program, ...args, "Go on."], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ANTHROPIC_API_KEY: "none" },
  });
  await once(server, "request");
  const time = performance.now() - started;
  child.kill("SIGKILL");
  await once(child, "exit");
  server.closeAllConnections();
  server.close();
  return time;
}

async function benchMany(sessions: Sessions, report: Report): Promise<void> {
  for (let at = 0; at < manySessions; at++) writeLong(sessions, `session-${at}`, 10, line.repeat(50));
  sessions.list();
  const lists: number[] = [];
  const searches: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // A new process knows nothing yet.
    const fresh = new Sessions(sessions.folder);
    const started = performance.now();
    if (fresh.list().length !== manySessions) throw new Error("not all sessions are listed");
    lists.push(performance.now() - started);
    const asked = performance.now();
    const found = await fresh.search("matters absent-word", new AbortController().signal);
    if (found.size > 0) throw new Error("something was found");
    searches.push(performance.now() - asked);
  }
  report("sessions.list-first", lists[0] ?? Number.NaN, "ms");
  report("sessions.list", median(lists), "ms");
  report("sessions.search", median(searches), "ms");
}

/** A session as it is recorded: each step says a little and reads a file. It is compacted shortly before its end. */
function writeLong(sessions: Sessions, id: string, count: number, output: string): void {
  const transcript = sessions.transcript(id, (error) => {
    throw error;
  });
  let made = 0;
  const next = (prefix: string) => `${prefix}_${String(++made).padStart(26, "0")}`;
  const add = (...events: RecordedEvent[]) => {
    for (const event of events) transcript.append(event);
    transcript.flush();
  };
  const put = (part: Part) => add({ type: "part", part });
  const ask = (): UserMessage => {
    const message = { id: next("msg"), sessionID: id, createdAt: 1, role: "user", agent: "build", model } as const;
    add({ type: "message", message });
    return message;
  };
  const base = ({ id: messageID }: { id: string }) => ({ id: next("prt"), sessionID: id, messageID });
  const begin = ({ id: parentID }: UserMessage): AssistantMessage => ({
    id: next("msg"),
    sessionID: id,
    createdAt: 2,
    role: "assistant",
    parentID,
    agent: "build",
    model,
    path: { cwd: "/", root: "/" },
    tokens,
  });
  add({ type: "session", session: { ...newSession("/", id).session, title: "A long session" } });
  let user = ask();
  put({ ...base(user), type: "text", text: "Read them all." });
  for (let step = 0; step < count; step++) {
    if (step === Math.floor(count * 0.98)) {
      user = ask();
      put({ ...base(user), type: "compaction", auto: true });
      const summary = begin(user);
      add({ type: "message", message: summary });
      put({ ...base(summary), type: "text", text: "They were read." });
      add({ type: "message", message: { ...summary, summary: true, finish: "stop", completedAt: 3 } });
    }
    const message = begin(user);
    add({ type: "message", message });
    put({ ...base(message), type: "step-start" });
    const text = { ...base(message), type: "text", text: "" } as const;
    put(text);
    add({ type: "delta", messageID: message.id, partID: text.id, text: "I read the next one, " });
    put({ ...text, text: "I read the next one, since it matters. ".repeat(3) });
    const call = { ...base(message), type: "tool", callID: next("toolu"), tool: "read" } as const;
    const input = { file_path: `src/file-${step}.ts` };
    const title = input.file_path;
    put({ ...call, state: { status: "pending", input: {}, raw: "" } });
    add({ type: "delta", messageID: message.id, partID: call.id, text: JSON.stringify(input) });
    put({ ...call, state: { status: "running", input, title, start: 3, metadata: {} } });
    put({
      ...call,
      state: { status: "completed", input, output, title, metadata: { fact: "1 line" }, start: 3, end: 4 },
    });
    put({ ...base(message), type: "step-finish", reason: "tool-calls", tokens });
    add({ type: "message", message: { ...message, finish: "tool-calls", completedAt: 5 } });
  }
  transcript.close();
}
