/** Streams that are changed within what their format permits are read as before; broken ones end in an error, never in doubled text. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { anthropicModel } from "../../src/providers/anthropic/anthropic-model.ts";
import { openaiResponses } from "../../src/providers/families/openai-responses.ts";
import { responsesModel } from "../../src/providers/openai-responses/responses-model.ts";
import { anthropicEvents, type Block, responsesEvents } from "../model-server/encode.ts";
import { type Answer, type ModelServer, startModelServer } from "../model-server.ts";
import { RandomNumbers, randomly } from "../random.ts";
import { readExpected, recordings } from "../streams/compare.ts";
import {
  type Format,
  mutations,
  parseStream,
  type StreamEvent,
  streamedErrors,
  writeStream,
} from "../streams/mutate.ts";
import { ask, type Collected, request } from "./ask.ts";

/** Streams for each change. */
const sample = 3;

interface Base {
  id: string;
  events: StreamEvent[];
}

const said: Block[] = [
  { thinking: "I look ä.", signature: "sig1" },
  { text: "Both files. 🎉", pieces: 3 },
  { call: { name: "read", input: { file_path: "a.txt" }, id: "call_1" } },
  { call: { name: "glob", input: {}, id: "call_2" } },
];

function bases(format: Format): Base[] {
  const own = format === "anthropic-messages" ? anthropicEvents({ blocks: said }) : responsesEvents({ blocks: said });
  const found = [{ id: "own", events: parseStream(own.join("")) }];
  for (const { folder } of recordings(path.join(import.meta.dirname, "../.."))) {
    if (!folder) continue;
    for (const { id, api, stream, must_report_error: fails } of readExpected(folder)) {
      if (api !== format || fails) continue;
      found.push({ id, events: parseStream(readFileSync(path.join(folder, stream), "utf8")) });
    }
  }
  return found.flatMap(({ id, events }) => (events ? [{ id, events }] : []));
}

/** What is compared of a reply. */
function essence({ error, text, thoughts, reasons, calls, finish, tokens }: Collected, keeps: string): unknown {
  // Parts of thoughts go back as they came.
  const left = keeps === "all" ? ["x_new"] : ["x_new", "id"];
  const plain = (value: unknown) =>
    JSON.parse(JSON.stringify(value ?? null, (key, one) => (left.includes(key) ? undefined : one)));
  const shown = calls.map(({ provider, id, ...call }) =>
    keeps === "all" && /^(call|toolu)_[0-9a-f]{32}$/.test(id) ? { provider, ...call } : { id, provider, ...call },
  );
  if (keeps === "text-and-calls")
    return {
      kind: error?.kind,
      text,
      calls: calls.map(({ name, raw, arguments: given }) => ({ name, raw, given })),
      finish,
    };
  const all = { kind: error?.kind, text, thoughts, reasons, calls: shown, finish, tokens };
  return plain(all);
}

describe("changed streams", () => {
  for (const format of ["anthropic-messages", "openai-responses"] as const) {
    describe(format, () => {
      const all = bases(format);
      let answer: Answer = [];
      let server: ModelServer;
      before(async () => {
        server = await startModelServer(() => answer);
      });
      after(() => server.stop());

      async function read(bytes: string, size?: number): Promise<Collected> {
        answer = { bytes: Buffer.from(bytes), ...(size !== undefined && { size }) };
        const access = { apiKey: "test-key", baseURL: server.url };
        const model =
          format === "anthropic-messages"
            ? anthropicModel(access)
            : responsesModel({ ...access, rules: openaiResponses });
        return await ask(model, request({ model: format === "anthropic-messages" ? "claude-sonnet-4-5" : "gpt-5.5" }));
      }

      function chosen(random: RandomNumbers): Base[] {
        if (all.length <= sample) return all;
        return [...all.slice(0, 1), ...Array.from({ length: sample - 1 }, () => random.pick(all))];
      }

      for (const { name, formats, keeps, change } of mutations) {
        if (!formats.includes(format)) continue;
        randomly(`E3 E4 E6 ${name}`, async (seed) => {
          const random = new RandomNumbers(seed, name);
          for (const { id, events } of chosen(random)) {
            const changed = change(events, random);
            if (changed === undefined) continue;
            const now = await read(typeof changed === "string" ? changed : writeStream(changed));
            const before = await read(writeStream(events));
            assert.deepEqual(essence(now, keeps), essence(before, keeps), id);
          }
        });
      }

      randomly("E3 E4 pieces of any size", async (seed) => {
        const random = new RandomNumbers(seed);
        for (const { id, events } of chosen(random)) {
          const bytes = writeStream(events);
          if (bytes.length > 20_000) continue;
          const now = await read(bytes, 1 + random.below(9));
          assert.deepEqual(essence(now, "all"), essence(await read(bytes), "all"), id);
        }
      });

      randomly("E5 an error at any place is told, and the reply does not count", async (seed) => {
        const random = new RandomNumbers(seed);
        for (const { id, events } of chosen(random)) {
          const end = events.findIndex((event) =>
            /message_stop|response\.(completed|incomplete|done)/.test(String(event.data?.["type"])),
          );
          for (const error of streamedErrors[format]) {
            const at = random.below(end < 0 ? events.length : end + 1);
            const now = await read(writeStream([...events.slice(0, at), error, ...events.slice(at)]));
            assert.ok(now.error, `${id} at ${at}: ${JSON.stringify(error.data)}`);
            assert.equal(now.finish, undefined, id);
          }
        }
      });

      randomly("E5 an end at any place is an error, and text stays as far as it came", async (seed) => {
        const random = new RandomNumbers(seed);
        for (const { id, events } of chosen(random)) {
          const whole = await read(writeStream(events));
          const end = events.findIndex((event) =>
            /message_stop|response\.(completed|incomplete|done)/.test(String(event.data?.["type"])),
          );
          const bytes = writeStream(events.slice(0, end));
          const cut = await read(bytes.slice(0, random.below(bytes.length)));
          assert.equal(cut.error?.kind, "network", id);
          assert.ok(whole.text.startsWith(cut.text) || cut.text === "", id);
        }
      });
    });
  }
});
