/**
 * What the system prompt tells a family of models in addition, wherever it is served (spec M1).
 * Its texts are for the model.
 */

interface Guidance {
  models: RegExp;
  text: string;
}

/** Short: it is part of every conversation. The first that fits counts. */
const guidance: readonly Guidance[] = [
  // "Avoid over-engineering": platform.claude.com/docs/en/build-with-claude/prompt-engineering/claude-prompting-best-practices
  {
    models: /\bclaude/i,
    text: "Do what was asked and no more: no further features, files, options or fallbacks.",
  },
  // "Persistence": cookbook.openai.com/examples/gpt-5/gpt-5_prompting_guide
  {
    models: /\b(gpt|o\d|codex)\b/i,
    text: "Do not end your turn with a plan or an offer to go on: when something is uncertain, choose what is most reasonable, go on, and name the choice at the end.",
  },
  // gemini-cli's own prompt forbids the same: github.com/google-gemini/gemini-cli, packages/core/src/core/prompts.ts
  {
    models: /\bgemini/i,
    text: "Never assume that a library is there or what a file holds: look. Write no comments about your change into the code.",
  },
  // Open models, whose servers parse calls from text and pass on those that they do not recognize.
  {
    models: /./,
    text: "Call tools only through the interface for tools: a call that is written as text does nothing.",
  },
];

export function guidanceOf(modelID: string): string {
  return guidance.find(({ models }) => models.test(modelID))?.text ?? "";
}
