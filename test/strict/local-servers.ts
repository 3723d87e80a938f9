/** vLLM, llama.cpp and LM Studio, each with a model that takes text alone. */
import {
  chatReply,
  commonChatRules,
  counted,
  eachMessage,
  noFiles,
  noImages,
  rule,
  type StrictBody,
} from "./chat-rules.ts";
import type { StrictProvider } from "./strict-server.ts";

export const vllm: StrictProvider<StrictBody> = {
  providerID: "vllm",
  model: "Qwen/Qwen3.8-27B",
  basePath: "/v1",
  rules: [
    noImages("dots.ocr#61, vllm#23402", "Qwen/Qwen3.8-27B is not a multimodal model"),
    noFiles("vllm entrypoints/chat_utils.py", "Unknown part type: file"),
    rule("vllm#20409, ogx#4534", (body) => {
      const { max_tokens = 0, max_completion_tokens = max_tokens } = body;
      const input = Math.ceil(JSON.stringify(body).length / 4);
      return input + Number(max_completion_tokens) > 131_072
        ? `'max_tokens' or 'max_completion_tokens' is too large: ${max_completion_tokens}. This model's maximum context length is 131072 tokens and your request has ${input} input tokens.`
        : undefined;
    }),
    ...commonChatRules,
  ],
  refuse: (message) => ({
    status: 400,
    body: { error: { message, type: "BadRequestError", param: null, code: 400 } },
  }),
  reply: (reply) =>
    chatReply(
      reply,
      { thinking: (reasoning) => ({ reasoning }), callID: counted("chatcmpl-tool-") },
      "Qwen/Qwen3.8-27B",
    ),
};

/** With the template of a Mistral model, which counts the roles. */
export const llamaCpp: StrictProvider<StrictBody> = {
  providerID: "llama-cpp",
  model: "Devstral-Small-2-24B-Q4_K_M.gguf",
  basePath: "/v1",
  rules: [
    noImages(
      "llama.cpp#15377",
      "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
    ),
    noFiles("llama.cpp common/chat.cpp", "unsupported content[].type"),
    eachMessage("hermes-agent#84944; Mistral's chat templates", ({ role }, at, all) =>
      role === "user" && /^(user|tool)$/.test(all[at - 1]?.role ?? "")
        ? "After the optional system message, conversation roles must alternate user/assistant"
        : undefined,
    ),
    ...commonChatRules,
  ],
  refuse: (message) => ({ status: 500, body: { error: { code: 500, message, type: "server_error" } } }),
  reply: (reply) =>
    chatReply(
      reply,
      { thinking: (reasoning_content) => ({ reasoning_content }), callID: counted("call_") },
      "Devstral-Small-2",
    ),
};

export const lmStudio: StrictProvider<StrictBody> = {
  providerID: "lm-studio",
  model: "openai/gpt-oss-20b",
  basePath: "/v1",
  rules: [
    noImages("lmstudio-bug-tracker; lmstudio.ai docs", "Model does not support images. Please use a model that does."),
    noFiles(
      "lmstudio.ai docs",
      "Invalid 'content': 'content' objects must have a 'type' field that is either 'text' or 'image_url'.",
    ),
    ...commonChatRules,
  ],
  refuse: (error) => ({ status: 400, body: { error } }),
  // Calls without an id have been seen.
  reply: (reply) =>
    chatReply(reply, { thinking: (reasoning) => ({ reasoning }), callID: counted("") }, "openai/gpt-oss-20b"),
};
