/** Both of OpenAI's APIs: one bundle, for they share the SDK. */
import type { Model, ModelEvent, ModelRequest } from "../loop/model.ts";
import type { ApiPlan, OpenAIApi } from "./api-choice.ts";
import { openaiModel } from "./openai-chat/chat-model.ts";
import { responsesModel } from "./openai-responses/responses-model.ts";
import { wantsOtherApi } from "./shared/failure.ts";

export { openaiModel };

type OpenAIOptions = Parameters<typeof openaiModel>[0] & { providerID: string };

/** Asks a server with one API, and with the other where the server says that the model or the path needs that. */
export function eitherModel(options: OpenAIOptions, { rules, first }: ApiPlan): Model {
  const settled = new Map<string, OpenAIApi>();
  const switched = new WeakSet<ModelRequest>();
  async function* switchTo(api: OpenAIApi, request: ModelRequest): AsyncGenerator<ModelEvent> {
    for await (const event of models[api].stream(request)) {
      if (event.type === "start") settled.set(request.model, api);
      yield event;
    }
  }
  const onRefusal = (asked: OpenAIApi) => (thrown: unknown, request: ModelRequest) => {
    if (switched.has(request) || !wantsOtherApi(thrown, asked)) return undefined;
    switched.add(request);
    return switchTo(asked === "chat" ? "responses" : "chat", request);
  };
  const models = {
    chat: openaiModel({ ...options, onRefusal: onRefusal("chat") }),
    responses: responsesModel({ ...options, rules, onRefusal: onRefusal("responses") }),
  };
  return {
    providerID: options.providerID,
    stream: (request) => models[settled.get(request.model) ?? first(request.model)].stream(request),
  };
}
