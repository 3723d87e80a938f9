/** Recognizes errors about requests that exceed the context window. Servers word them differently; few send a code. */

const overflows = [
  // Anthropic and its gateways; Ollama; Bedrock.
  /prompt (is )?too long|input is too long|exceed context limit/i,
  // OpenAI, OpenRouter, vLLM, Mistral, LM Studio, Copilot's "prompt token count of 9 exceeds the limit of 8".
  /context_length_exceeded|context_window_exceeded|ContextWindowExceeded/,
  /maximum context length|reduce the length of|prompt token count[^.]{0,40}exceeds/i,
  /exceeds? (the |this |its |your )?(available |maximum |max |model('s)? )*context/i,
  // LM Studio: "Trying to keep the first 9 tokens when context the overflows … context length of only 8 tokens".
  /when context the overflows|context length of only/i,
  // llama.cpp, MiniMax, DeepSeek.
  /exceed_context_size/,
  /context (size|length|window|limit)( of [^.]{0,100})? (has been |was |is )?exceed/i,
  /\b(prompt|input|request)\b.{0,40}(too large|too long|larger than|longer than|greater than).{0,40}(context|model)/i,
  /greater than the context length/i,
  // xAI; Google; Kimi.
  /maximum (prompt|input) length is|input token count[^.]{0,40}exceeds|exceeded model token limit/i,
  /too many (input |prompt )?tokens/i,
  // DashScope; Z.ai; Poolside behind OpenRouter; DS4.
  /range of input length should be|prompt exceeds max length|exceeds the maximum allowed input length/i,
  /configured context size is/i,
  // Ollama's /v1, which has cut the last prompt away, before the template misses it (ollama#18107).
  /no user query found in messages/i,
  // Older vLLM: the prompt leaves less than nothing of the window.
  /max_tokens must be at least 1, got -/i,
];

/** Errors about a quota, not the window: waiting helps, compaction does not. */
const quota = /rate.?limit|throttl|too many requests|per (minute|day|hour)|quota|\bTPM\b/i;

export function isOverflow(text: string): boolean {
  return overflows.some((words) => words.test(text)) && !quota.test(text);
}

/** Errors that name the tokens of input, maximum output and window. */
const sums: RegExp[] = [
  // OpenAI, vLLM: "maximum context length is 6048 tokens. However, you requested 6616 tokens (568 in the messages, …".
  /maximum context length is (?<window>\d+)\b[^(]{0,200}\((?:about )?(?<input>\d+) (?:in|of) [^,]{0,100}, (?<output>\d+) in/i,
  // vLLM since 2025: "'max_tokens' … is too large: 6048. This model's maximum context length is 6048 tokens and your
  // request has 568 input tokens".
  /too large: (?<output>\d+)\b.{0,100}?context length is (?<window>\d+)\b.{0,100}?has (?<input>\d+) input/i,
  // Anthropic: "input length and `max_tokens` exceed context limit: 568 + 6048 > 6048".
  /exceed context limit: (?<input>\d+) \+ (?<output>\d+) > (?<window>\d+)/i,
];

/** Returns the requested maximum output if the input takes at most half of the window: compaction would not help. */
export function outputTooLong(text: string): number | undefined {
  for (const sum of sums) {
    const { input, output, window } = sum.exec(text)?.groups ?? {};
    if (output !== undefined && Number(input) <= Number(window) / 2) return Number(output);
  }
  return undefined;
}
