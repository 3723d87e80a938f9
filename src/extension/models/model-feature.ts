/** The models of the window: connecting one, choosing one, and what the panel shows of them. */
import type { ModelRef } from "../../chat/message.ts";
import type { Feature } from "../feature.ts";
import { reportedIn } from "../panel/reported.ts";
import type { WindowServices } from "../services.ts";
import { modelFor } from "../sessions/choices.ts";
import { watchSettings } from "../settings.ts";
import type { EditorWindow } from "../window.ts";
import { accountOf } from "./account.ts";
import { ConnectPage } from "./connect-page.ts";
import { ModelPage } from "./model-page.ts";
import { pickModel } from "./model-picker.ts";
import { setKey } from "./set-key.ts";

/** `setModel` chooses the model of the session on screen. */
export function modelFeature(
  window: EditorWindow,
  { keys, models, page }: WindowServices,
  setModel: (ref: ModelRef) => void,
) {
  const { context, own, prepare, stateChanged } = window;
  const { conversations, memory } = page;
  const connect = own(new ConnectPage(page, { keys, models, globalState: context.globalState, setModel }));
  const picker = own(new ModelPage(page, models));
  own(window.onDidChangeState(() => picker.refresh()));
  for (const { onDidChange } of [keys, models]) own(onDidChange(stateChanged));
  own(
    watchSettings(() => {
      models.reset();
      stateChanged();
    }),
  );
  const reported = reportedIn(page);
  return {
    handlers: { ...connect.handlers, ...picker.handlers },
    commands: {
      "rondo.setKey": reported(async () => {
        await prepare();
        await setKey(keys, models);
      }),
      "rondo.selectModel": reported(async () => {
        await prepare();
        const ref = await pickModel(models);
        if (ref) setModel(ref);
      }),
    },
    state() {
      const { messages, session } = conversations.current.chat;
      const model = modelFor(session.id, models, memory);
      return {
        readiness: models.readiness,
        model: model && models.describe(model),
        models: models.choices,
        account: accountOf(messages.findLast(({ info }) => info.role === "assistant")?.info.model ?? model),
      };
    },
    pageGone: () => picker.hide(),
    async prepare() {
      await keys.load();
      await models.load();
      // Looked for only where there is no model: the start page offers what is found.
      if (models.readiness.type === "no-key") void connect.look();
    },
    close: () => models.dispose(),
  } satisfies Feature;
}
