/** `query()` in this process, on a real folder, against a model server on loopback. */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { query } from "../../src/query/query.ts";
import type { Options, Query, SDKMessage, SDKUserMessage } from "../../src/query/query-types.ts";
import type { SDKResultMessage, ToolResultBlock, UserBlock } from "../../src/query/sdk-types.ts";
import { replay } from "../../src/record/replay.ts";
import { anthropicEvents } from "../model-server/encode.ts";
import { type Answer, type ModelServer, type Script, startModelServer } from "../model-server.ts";

export class World {
  readonly home = realpathSync(mkdtempSync(path.join(os.tmpdir(), "rondo-query-")));
  readonly folder = path.join(this.home, "work");
  readonly sessions = path.join(this.home, "sessions");
  readonly server: ModelServer;
  readonly notes: string[] = [];
  readonly #queries: Query[] = [];

  constructor(server: ModelServer) {
    this.server = server;
    mkdirSync(this.folder);
  }

  /** The usual options together with these. */
  query(prompt: string | AsyncIterable<SDKUserMessage>, options: Options = {}): Query {
    const running = query({ prompt, options: { ...this.options, ...options } });
    this.#queries.push(running);
    return running;
  }

  get options(): Options {
    return {
      cwd: this.folder,
      provider: "anthropic",
      baseUrl: this.server.url,
      apiKey: "test-key",
      model: "claude-sonnet-5",
      sessionDir: this.sessions,
      settingSources: ["project"],
      limits: { retryBackoff: 1 },
      titles: false,
      stderr: (text) => this.notes.push(text),
    };
  }

  run(prompt: string | AsyncIterable<SDKUserMessage>, options: Options = {}): Promise<SDKMessage[]> {
    return all(this.query(prompt, options));
  }

  write(name: string, text: string): string {
    const file = path.join(this.folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  read(name: string): string {
    return readFileSync(path.join(this.folder, name), "utf8");
  }

  has(name: string): boolean {
    return existsSync(path.join(this.folder, name));
  }

  /** The request bodies as received. */
  get raws(): string[] {
    return this.server.requests.map(({ raw }) => raw);
  }

  /** Files of the session folder. */
  kept(end: string): string[] {
    return existsSync(this.sessions) ? readdirSync(this.sessions).filter((name) => name.endsWith(end)) : [];
  }

  replay(id: string) {
    return replay(path.join(this.sessions, `${id}.jsonl`));
  }

  async close(): Promise<void> {
    for (const running of this.#queries) await running.close();
    await this.server.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Returns a function that makes worlds, which are removed after each test. */
export function worlds(): (script: Script) => Promise<World> {
  const open: World[] = [];
  afterEach(async () => {
    for (const world of open.splice(0)) await world.close();
  });
  return async (script) => {
    const world = new World(await startModelServer(script));
    open.push(world);
    return world;
  };
}

export async function all(running: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const message of running) messages.push(message);
  return messages;
}

/** Returns the kind of a message. */
export function kindOf(message: SDKMessage): string {
  return message.type === "system" ? message.subtype : message.type;
}

export function ofType<T extends SDKMessage["type"]>(messages: readonly SDKMessage[], type: T) {
  return messages.filter((message): message is Extract<SDKMessage, { type: T }> => message.type === type);
}

export function resultOf(messages: readonly SDKMessage[]): SDKResultMessage {
  const [result, ...more] = ofType(messages, "result");
  assert.ok(result, "there is a result");
  assert.equal(more.length, 0, "there is one result");
  return result;
}

/** The results of calls, in the order of their messages. */
export function results(messages: readonly SDKMessage[]): ToolResultBlock[] {
  const contents = ofType(messages, "user").map(({ message }) => message.content);
  return contents.flatMap((content) => (typeof content === "string" ? [] : content)).filter(isResult);
}

function isResult(block: UserBlock): block is ToolResultBlock {
  return block.type === "tool_result";
}

export const says = (text: string): Answer => [{ text }];

export const calls = (...list: [name: string, input: Record<string, unknown>][]): Answer =>
  list.map(([name, input]) => ({ call: { name, input } }));

/** The beginning of an answer that then stalls. */
export const begins = (text: string): Answer => ({
  bytes: anthropicEvents({ blocks: [{ text }] })
    .slice(0, 3)
    .join(""),
  hang: true,
});

export const user = (content: SDKUserMessage["message"]["content"]): SDKUserMessage => ({
  type: "user",
  message: { role: "user", content },
});

/** Yields prompts as a program would send them. */
export async function* from(messages: readonly SDKUserMessage[]): AsyncGenerator<SDKUserMessage> {
  yield* messages;
}
