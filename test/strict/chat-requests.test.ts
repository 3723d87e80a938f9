/** Single requests to each provider of Chat Completions: all settings, additions of tools, what is left out, the cache. */
import assert from "node:assert/strict";
import type { Entry } from "../../src/chat/apply.ts";
import type { ModelRequest, Thinking } from "../../src/loop/model.ts";
import type { ChatRules } from "../../src/providers/families/chat-rules.ts";
import { familyOf } from "../../src/providers/families/families.ts";
import { chatRulesFor } from "../../src/providers/families/server-rules.ts";
import { chatBody } from "../../src/providers/openai-chat/chat-request.ts";
import { call, growing, replyOf, request, user } from "../wire/ask.ts";
import { chatProviders } from "./chat-providers.ts";
import type { StrictBody } from "./chat-rules.ts";
import { png } from "./stories.ts";
import type { StrictProvider } from "./strict-server.ts";

type Provider = StrictProvider<StrictBody>;

const providers = chatProviders.map((make) => make());

const schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    flag: { type: "boolean", enum: [true] },
    either: { type: ["string", "null"] },
    choice: { type: "string", anyOf: [{ type: "string" }, { type: "number" }] },
    any: {},
    list: { type: "array" },
    empty: { type: "object", additionalProperties: true },
    named: { $ref: "#/$defs/name", description: "A name." },
    count: { type: "integer", exclusiveMinimum: 0 },
    both: { allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { const: 1 } } }] },
  },
  required: ["flag", "gone"],
  additionalProperties: false,
  $defs: { name: { type: "string", enum: ["x", "y"] } },
};
const tools = [
  { name: "wild", description: "Has all that servers have refused.", schema },
  { name: "bare", description: "Takes nothing.", schema: { type: "object" } },
];

function rulesOf({ providerID, model }: Provider): ChatRules {
  return chatRulesFor(providerID, "http://127.0.0.1:9/v1", model);
}

function bodyText(provider: Provider, more: Partial<ModelRequest>, rules = rulesOf(provider)): string {
  return Buffer.from(chatBody(request({ model: provider.model, ...more }), rules, provider.providerID)).toString();
}

/** Checks a request as the provider does; returns its body. */
function accepted(provider: Provider, more: Partial<ModelRequest>): StrictBody {
  const raw = bodyText(provider, more);
  const body: StrictBody = JSON.parse(raw);
  for (const { breach, source } of provider.rules) {
    const words = breach({ raw, body, headers: {}, path: "" });
    assert.equal(words, undefined, `${provider.model}: ${words} (${source})`);
  }
  return body;
}

/** A reply of this provider's model that has thoughts of each kind, and two calls. */
function thoughtful({ providerID, model }: Provider, ...outputs: string[]): Entry {
  const metadata = { field: "reasoning_content", reasoning_details: [{ type: "reasoning.text", signature: "old" }] };
  const calls = outputs.map((output) => call("read", { a: 1 }, output));
  for (const { state } of calls) {
    if (state.status === "completed")
      state.metadata = { provider: { extra_content: { google: { thought_signature: "old" } } } };
  }
  const thought = { type: "reasoning", text: "My own thought.", time: { start: 1 }, metadata } as const;
  return replyOf({ providerID, modelID: model }, thought, ...calls);
}

const picture = { type: "file", mime: "image/png", filename: "a.png", url: `data:image/png;base64,${png}` } as const;
const pdf = {
  type: "file",
  mime: "application/pdf",
  filename: "a.pdf",
  url: "data:application/pdf;base64,JVBERi0=",
} as const;

describe("requests of Chat Completions by provider", () => {
  for (const provider of providers) {
    const { providerID, model } = provider;
    describe(`${providerID} (${model})`, () => {
      it("M2 T1 takes every level of thinking, a temperature, any output limit, and each restriction of tools", () => {
        const levels: Thinking[] = ["default", "off", "low", "medium", "high", { budgetTokens: 8_000 }];
        for (const thinking of levels) {
          for (const toolUse of ["auto", "none", { only: ["bare"] }] as const) {
            accepted(provider, { thinking, toolUse, tools, temperature: 0.3, maxTokens: 100_000 });
            accepted(provider, { thinking, toolUse, tools: [], maxTokens: undefined });
          }
        }
      });

      it("C7 T1 tools that are added later stand where the server takes them, and nothing before them changes", () => {
        const later = { name: "later", description: "Came later.", schema: { type: "object", properties: {} } };
        const begin = [user("Go"), thoughtful(provider, "1")];
        const added = { type: "tools", added: [later], removed: ["bare"] } as const;
        const entries = [...begin, user({ ...added, added: [later], removed: ["bare"] }, "More tools.")];
        const rules = rulesOf(provider);
        const raw = bodyText(provider, { entries, tools, unboundEntries: 3 }, rules);
        assert.ok(raw.includes('"name":"later"'));
        assert.ok(raw.includes('"name":"bare"'), "what is removed stays defined");
        const body = accepted(provider, { entries, tools, unboundEntries: 3 });
        const isMessage = rules.laterTools === "message";
        assert.equal(body.tools?.length, isMessage ? 2 : 3);
        assert.equal(
          body.messages.some((message) => "tools" in message),
          isMessage,
        );
      });

      it("E3 signed thoughts are left out where they are no longer bound; plain ones that are required are not", () => {
        const entries = [user("Go"), thoughtful(provider, "1", "2"), user("And?")];
        const unbound = bodyText(provider, { entries, unboundEntries: 3 });
        assert.doesNotMatch(unbound, /"old"/);
        accepted(provider, { entries, unboundEntries: 3 });
        const { thoughts } = rulesOf(provider);
        const isPlain = thoughts.type === "reasoning_content";
        assert.equal(unbound.includes("My own thought."), isPlain);
      });

      it("E4 images and PDFs are named where they were refused", () => {
        const reply = thoughtful(provider, "An image");
        for (const part of reply.parts) {
          if (part.type !== "tool" || part.state.status !== "completed") continue;
          part.state.attachments = [{ ...picture, id: "x", sessionID: "x", messageID: "x" }];
        }
        const entries = [user("Go", picture, pdf), reply, user("And?")];
        const raw = bodyText(provider, { entries, imagelessEntries: 3, unboundEntries: 3 });
        assert.doesNotMatch(raw, /base64/);
        assert.match(raw, /a\.png, an image, is not shown/);
        accepted(provider, { entries, imagelessEntries: 3, unboundEntries: 3 });
      });

      it("C7 a conversation of 200 steps keeps its bytes: a cache holds 95 % of each request", () => {
        const rules = rulesOf(provider);
        let before = "";
        let kept = 0;
        let all = 0;
        for (const entries of growing(200)) {
          const raw = bodyText(provider, { entries }, rules);
          if (before !== "") {
            kept += sameBytes(before, raw);
            all += before.length;
          }
          before = raw;
        }
        assert.ok(kept / all >= 0.95, `${kept / all}`);
      });
    });
  }

  it("E4 the family is that of the host, else of the name; another server keeps the rules of the model's maker", () => {
    const name = (id: string, url: string) => familyOf(id, url)?.name;
    assert.equal(name("openai", "https://api.mistral.ai/v1"), "Mistral");
    assert.equal(name("openai", "https://notmistral.ai/v1"), undefined);
    assert.equal(name("openai", "http://localhost:11434/v1"), "Ollama");
    assert.equal(name("openai", "http://localhost:4000/v1"), undefined);
    assert.equal(name("openai", "https://europe-west1-aiplatform.googleapis.com/v1"), "Google Vertex");
    assert.equal(name("ollama", "http://localhost:11434/v1"), "Ollama");
    const elsewhere = chatRulesFor("openai", "https://integrate.api.nvidia.com/v1", "mistralai/mistral-large-4");
    assert.equal(elsewhere.userAfterResults, false);
    assert.equal(elsewhere.keepsCallID("call_1", true), false);
    const kimi = chatRulesFor("openai", "https://integrate.api.nvidia.com/v1", "moonshotai/kimi-k2.6");
    assert.deepEqual(kimi.thoughts, { type: "as-received", placeholder: "…" });
    assert.equal(
      chatRulesFor("openai", "https://api.groq.com/openai/v1", "moonshotai/kimi-k2.6").thoughts.type,
      "none",
    );
  });

  it("E4 an unknown server that passes requests on is sent what the model's maker takes", () => {
    const makers = providers.filter(({ providerID }) => /^(mistral|moonshot|deepseek|gemini|zai)$/.test(providerID));
    for (const provider of makers) {
      const rules = chatRulesFor("openai", "http://127.0.0.1:4000/v1", provider.model);
      const reply = replyOf({ providerID: "anthropic", modelID: "x" }, call("read", { a: 1 }, "1"));
      const entries = [user("Go"), reply, user("A note.", picture)];
      for (const thinking of ["default", "off", "high"] as const) {
        const raw = bodyText(provider, { entries, tools, thinking, temperature: 0.3 }, rules);
        for (const { breach } of provider.rules) {
          assert.equal(breach({ raw, body: JSON.parse(raw), headers: {}, path: "" }), undefined, provider.model);
        }
      }
    }
  });

  it("E4 ids that Mistral is sent are the same each time, and differ from each other", () => {
    const [mistral] = providers.filter(({ providerID }) => providerID === "mistral");
    assert.ok(mistral);
    const entries = growing(50).at(-1) ?? [];
    const idsIn = () =>
      accepted(mistral, { entries }).messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    assert.deepEqual(idsIn(), idsIn());
    assert.equal(new Set(idsIn()).size, 49);
  });

  it("C7 Claude and Qwen behind OpenRouter get marks for the cache at the system prompt and the newest message", () => {
    const marked = providers.filter(({ model }) => /^(anthropic|qwen)\//.test(model));
    assert.equal(marked.length, 2);
    for (const provider of marked) {
      const { messages } = accepted(provider, { entries: growing(5).at(-1) ?? [] });
      const at = messages.flatMap((message, index) =>
        JSON.stringify(message).includes("cache_control") ? [index] : [],
      );
      assert.deepEqual(at, [0, messages.length - 1]);
    }
  });

  it("a parameter that the provider refuses is not sent, whoever asks for it", () => {
    for (const provider of providers) {
      const { refused } = rulesOf(provider);
      const options = Object.fromEntries(refused.map((name) => [name, 1]));
      const body = accepted(provider, { options });
      for (const name of refused) assert.equal(body[name], undefined);
    }
  });
});

function sameBytes(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
