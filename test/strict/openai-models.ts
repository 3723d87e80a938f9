/** OpenAI's models as its pages describe them. Written apart from the rules that Rondo keeps, so that one checks the other. */

export interface OpenAIModel {
  name: string;
  /** Levels of effort; none for models that do not think. */
  efforts: readonly string[];
  /** Whether tools with a text as input are known. */
  takesCustomTools: boolean;
  takesAdditionalTools: boolean;
  takesEffortUpdates: boolean;
  /** Whether thoughts are bound to all that came before them. */
  checksPrefix: boolean;
  /** Function tools in Chat Completions: always, with effort `none` or without one, with `none` alone, or never. */
  chatTools: "always" | "none-or-absent" | "none" | "never";
  takesVerbosity: boolean;
}

const usual = ["low", "medium", "high"];
const wide = [...usual, "xhigh"];
const widest = [...wide, "max"];

function model(name: string, efforts: readonly string[], more: Partial<OpenAIModel> = {}): OpenAIModel {
  const thinks = efforts.length > 0;
  return {
    name,
    efforts,
    takesCustomTools: thinks,
    takesAdditionalTools: false,
    takesEffortUpdates: /gpt-6/.test(name),
    checksPrefix: false,
    chatTools: "always",
    takesVerbosity: thinks,
    ...more,
  };
}

/** Since 5.6 `additional_tools` is known. [earendil-works/pi-ai 1.5.2; openai/codex] */
const later = { takesAdditionalTools: true, chatTools: "none" } as const;

/**
 * developers.openai.com/api/docs/guides/latest-model for 5.6, 6 and 6.2; Chat Completions: openai-openapi#541,
 * litellm#34569, dev.to laozhang 2026-11-04 and aihubmix 2026-11-18.
 */
export const openaiModels: readonly OpenAIModel[] = [
  model("gpt-4.1", []),
  model("o4-mini", usual, { takesCustomTools: false, takesVerbosity: false }),
  model("gpt-5", ["minimal", ...usual]),
  model("gpt-5.1", ["none", ...usual]),
  model("gpt-5.3-codex", ["none", ...wide], { chatTools: "never", takesVerbosity: false }),
  model("gpt-5.2", ["none", ...wide], { chatTools: "none-or-absent" }),
  // A missing effort is refused by one report. [Aether#1026]
  model("gpt-5.5", ["none", ...wide], { chatTools: "none" }),
  model("gpt-5.6-terra", ["none", ...widest], later),
  model("gpt-6-astra", widest, { ...later, chatTools: "never" }),
  model("gpt-6-luna", ["none", ...widest], later),
  model("gpt-6.1-terra", ["none", ...widest], later),
  model("gpt-6.1-sol", widest, { ...later, chatTools: "never" }),
  model("gpt-6.2-astra", widest, { ...later, chatTools: "never", checksPrefix: true }),
  model("gpt-6.2-sol", widest, { ...later, chatTools: "never", checksPrefix: true }),
];

export function openaiModel(name: string): OpenAIModel {
  const found = openaiModels.find((one) => one.name === name);
  if (!found) throw new Error(`no model ${name}`);
  return found;
}
