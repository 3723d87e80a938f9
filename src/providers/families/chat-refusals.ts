/** Learns from refusals: the words of a server, and the rule that they change. */
import { sameJson } from "../../base/json.ts";
import {
  type ChatRules,
  dummySignature,
  mistralTemplate,
  type SentThoughts,
  thoughtsPlaceholder,
} from "./chat-rules.ts";
import { plainSchema } from "./schema.ts";

interface Lesson {
  /** Where servers' words of this kind are published. */
  source: string;
  words: RegExp;
  /** Returns the rule to keep from now on; undefined if it is kept already. */
  change: (rules: ChatRules, match: RegExpExecArray) => Partial<ChatRules> | undefined;
}

const lessons: readonly Lesson[] = [
  {
    source: "llmgateway#2093 (Kimi); api-docs.deepseek.com thinking_mode",
    words: /reasoning_content.{0,60}(missing|must be passed back|required)|missing.{0,40}reasoning_content/i,
    change: ({ thoughts }) => receivedThoughts(thoughts, { placeholder: thoughtsPlaceholder }),
  },
  {
    source: "ai.google.dev thought-signatures; securo#884",
    words: /missing a .?thought_signature/i,
    change: ({ thoughts }) => receivedThoughts(thoughts, { dummy: dummySignature }),
  },
  {
    source: "Groq: jan#8136, req_llm#772; Cerebras: kilocode#10375; Mistral: litellm#30835, crush#1590",
    words:
      /reasoning_content|reasoning_details|extra_content|thought_signature|\bmessages\b.{0,160}['"`.](reasoning|thinking)['"`]/i,
    change: ({ thoughts }) => (thoughts.type === "none" ? undefined : { thoughts: { type: "none" } }),
  },
  {
    source: "openai-openapi#541, litellm#34569",
    words: /function tools with reasoning_effort/i,
    change: ({ thinking }) => (thinking === withoutEffort ? undefined : { thinking: withoutEffort }),
  },
  {
    source: "OpenAI: NextChat#3195; DeepSeek-V3#69; DashScope: open-webui#10507; Ark: openclaude#331",
    words:
      /max_(?:completion_|output_)?tokens(?!.{0,80}context).{0,60}?(?:at most|less than or equal to|\[1,|<=|\d >)[^\d]{0,3}(\d+)/i,
    change({ outputLimit }, [, limit]) {
      const most = Number(limit);
      return most > 0 && most < (outputLimit.most ?? Number.POSITIVE_INFINITY)
        ? { outputLimit: { ...outputLimit, most } }
        : undefined;
    },
  },
  {
    source: "OpenAI: litellm#13432; Mistral: eca#231",
    words: /\b(max_tokens|max_completion_tokens)\b(?!.{0,80}context)/,
    change: ({ outputLimit }, [, named]) =>
      outputLimit.field === named
        ? { outputLimit: { ...outputLimit, field: named === "max_tokens" ? "max_completion_tokens" : "max_tokens" } }
        : undefined,
  },
  {
    source: "opencode#1680, ironclaw#1241 (Mistral's 3280)",
    words: /tool call id was .{0,80}length of 9/i,
    change: ({ makeCallID }) => (makeCallID === mistralTemplate.makeCallID ? undefined : mistralTemplate),
  },
  {
    source: "OpenAI: agno#5382, openclaw#875; Anthropic: platform.claude.com tool use",
    words: /(tool_calls?|tool_use|call_id).{0,60}(too long|maximum length|match pattern)/i,
    change: ({ keepsCallID }) => (keepsCallID === isPlainID ? undefined : { keepsCallID: isPlainID }),
  },
  {
    source: "hermes-agent#84944, zed#37021 (Mistral's 3230, and its chat templates)",
    words: /unexpected role .?user.? after role .?tool|roles must alternate/i,
    change: ({ userAfterResults }) => (userAfterResults ? { userAfterResults: false, emptyContent: "" } : undefined),
  },
  {
    // Gemini; Kimi; OpenAI; Anthropic.
    source: "opencode#2687, gptel#806, kimi-cli#1595, kagent#1889, claude-code#95504",
    words:
      /'tools\[|function_declarations|parameters\.properties|flavored json schema|invalid schema for|input_schema|for (STRING|OBJECT) type/i,
    change: ({ schema }) => (schema === strictestSchema ? undefined : { schema: strictestSchema }),
  },
  {
    source: "new-api#5982; Groq: vercel/ai#2837",
    words: /cache_control|content must be a string|content.{0,40}expected (a )?string/i,
    change: ({ cacheMarks }) => (cacheMarks ? { cacheMarks: false } : undefined),
  },
  {
    source: "langchain4j#1105, mistral-common#324, lmstudio-bug-tracker#261, Portkey-AI/gateway#995",
    words:
      /\bcontent\b.{0,80}(\bnull\b|\bNone\b|valid string|field required|string or an array)|missing field .content|content field .{0,60}is empty/i,
    change: ({ emptyContent }) => (emptyContent === null ? { emptyContent: "" } : undefined),
  },
  {
    source: "hermes-agent#31582, vercel/ai#14618",
    words: /content.{0,60}(non-empty|not be empty|is empty|at least 1 character)/i,
    change: ({ emptyContent }) => (emptyContent === undefined ? undefined : { emptyContent: undefined }),
  },
  {
    source: "docs.z.ai chat-completion; sim#5716 (Kimi)",
    words: /tool_choice|allowed_tools/i,
    change: ({ takesToolChoiceNone, takesAllowedTools }) =>
      takesToolChoiceNone || takesAllowedTools ? { takesToolChoiceNone: false, takesAllowedTools: false } : undefined,
  },
  {
    source: "pydantic-ai#6977 (Kimi K2)",
    words: /tokenization failed|tools and content cannot/i,
    change: ({ laterTools }) => (laterTools === "message" ? { laterTools: "request" } : undefined),
  },
  {
    // In any sentence: servers name only the fields that they refuse.
    source: "langchain_dart#712, ms-agent#489, vllm#10463, litellm#30835, req_llm guides/cerebras, hermes#23435",
    words:
      /\b(stream_options|reasoning_?effort|prompt_cache_key|enable_thinking|thinking_budget|chat_template_kwargs|tool_stream|temperature)\b/i,
    change: refuse,
  },
  {
    source: "nanobot#3939, openrouter.ai/docs reasoning-tokens",
    words:
      /['"`.](reasoning|thinking)['"`]|\b(thinking) (cannot|is not|not supported)|parameter: (thinking|reasoning)\b/i,
    change: refuse,
  },
];

/** Returns the rules by which the server may take what it refused; undefined if its words teach nothing new. */
export function learnFrom(refusal: string, rules: ChatRules): ChatRules | undefined {
  for (const { words, change } of lessons) {
    const match = words.exec(refusal);
    const changed = match && change(rules, match);
    if (changed) return { ...rules, ...changed };
  }
  return undefined;
}

/** Returns the rules for a server that took no image or no PDF. */
export function withoutFiles(refusal: string, rules: ChatRules): ChatRules {
  const isPDF = rules.takesPDFs && !/image|vision|multimodal/i.test(refusal.replaceAll("'image_url'", ""));
  return isPDF ? { ...rules, takesPDFs: false } : { ...rules, takesImages: false, takesPDFs: false };
}

const withoutEffort: ChatRules["thinking"] = () => ({ reasoning_effort: "none" });
const isPlainID = (callID: string) => /^[\w-]{1,40}$/.test(callID);
const strictestSchema: ChatRules["schema"] = (schema) => plainSchema(schema, { emptyObjects: false });

/** Sends thoughts as they came, with what stands for missing ones. */
function receivedThoughts(now: SentThoughts, more: { placeholder: string } | { dummy: string }) {
  const known = now.type === "as-received" ? now : { type: "as-received" as const };
  const thoughts = { ...known, ...more };
  return sameJson(thoughts, now) ? undefined : { thoughts };
}

function refuse({ refused }: ChatRules, match: RegExpExecArray): Partial<ChatRules> | undefined {
  const named =
    match
      .slice(1)
      .find((group) => group !== undefined)
      ?.toLowerCase() ?? "";
  const name = named === "reasoningeffort" ? "reasoning_effort" : named;
  return refused.includes(name) ? undefined : { refused: [...refused, name] };
}
