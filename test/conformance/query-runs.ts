/** Runs of `query()` on a real folder, against a model server on loopback, through the real SDKs. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { query } from "../../src/query/query.ts";
import type { Options, Query, SDKMessage, SDKResultMessage, SDKUserMessage } from "../../src/query/query-types.ts";
import { type ModelServer, type ReceivedRequest, type Script, startModelServer } from "../model-server.ts";

type More = Partial<Options> & {
  files?: Record<string, string>;
  prompt?: string | AsyncIterable<SDKUserMessage>;
};

export class QueryRun {
  readonly server: ModelServer;
  readonly folder: string;
  readonly query: Query;
  /** Messages read so far. */
  readonly messages: SDKMessage[] = [];

  constructor(server: ModelServer, folder: string, query: Query) {
    this.server = server;
    this.folder = folder;
    this.query = query;
  }

  /** Reads to the end. */
  async all(): Promise<SDKMessage[]> {
    for await (const message of this.query) this.messages.push(message);
    return this.messages;
  }

  /** Reads to the end and returns the only result. */
  async result(): Promise<SDKResultMessage> {
    const results = (await this.all()).filter((one) => one.type === "result");
    assert.equal(results.length, 1);
    return results[0] ?? assert.fail();
  }

  /** Reads until a message of this kind, and returns it. */
  async until(kind: string): Promise<SDKMessage> {
    for (;;) {
      const { value, done } = await this.query.next();
      if (done) assert.fail(`the run ended before ${kind}`);
      this.messages.push(value);
      if (kindOf(value) === kind) return value;
    }
  }

  /** Kinds of the messages read so far: "system/init", "assistant", "user". */
  get kinds(): string[] {
    return this.messages.map(kindOf);
  }

  get requests(): ReceivedRequest[] {
    return this.server.requests;
  }

  read(name: string): string {
    return readFileSync(path.join(this.folder, "work", name), "utf8");
  }
}

function kindOf(message: SDKMessage): string {
  return "subtype" in message && message.type === "system" ? `system/${message.subtype}` : message.type;
}

/** Returns a function that starts runs, which are ended after each test. Call it within a `describe`. */
export function queries(): (script: Script, more?: More) => Promise<QueryRun> {
  const open: QueryRun[] = [];
  afterEach(async () => {
    for (const { query, server, folder } of open.splice(0)) {
      await query.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
  return async (script, { files = {}, prompt = "Do it.", ...options } = {}) => {
    const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "rondo-query-")));
    const cwd = path.join(folder, "work");
    mkdirSync(cwd);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
      writeFileSync(path.join(cwd, name), text);
    }
    const server = await startModelServer(script);
    const usual: Options = {
      cwd,
      sessionDir: path.join(folder, "sessions"),
      apiKey: "sk-test-0123456789",
      settingSources: [],
      limits: { retryBackoff: 1 },
      titles: false,
      ...(options.provider === "openai"
        ? { baseUrl: `${server.url}/v1`, model: "gpt-5.4" }
        : { provider: "anthropic", baseUrl: server.url, model: "claude-sonnet-5" }),
    };
    try {
      const run = new QueryRun(server, folder, query({ prompt, options: { ...usual, ...options } }));
      open.push(run);
      return run;
    } catch (error) {
      await server.stop();
      throw error;
    }
  };
}
