/** All strict servers of the Responses API. */
import { openaiResponses } from "./openai.ts";
import { openaiModels } from "./openai-models.ts";
import type { ResponsesBody } from "./responses-rules.ts";
import type { StrictProvider } from "./strict-server.ts";
import { grokModels, xaiResponses } from "./xai.ts";

export const responsesProviders: readonly (() => StrictProvider<ResponsesBody>)[] = [
  ...openaiModels.map(
    ({ name }) =>
      () =>
        openaiResponses(name),
  ),
  ...grokModels.map((name) => () => xaiResponses(name)),
];
