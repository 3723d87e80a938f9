/** A new session is named by the model once it has answered (L5). A failure is never seen: the title made of the prompt stays. */
import type { ModelRef } from "./message.ts";
import type { Model } from "./model.ts";
import type { Session } from "./session.ts";
import { askForTitle } from "./title.ts";

export function nameAfterFirstReply(
  session: Session,
  openModel: (ref: ModelRef) => Promise<Model>,
  closing: AbortSignal,
): void {
  const forget = session.listen((event) => {
    if (event.type !== "message" || event.message.role !== "assistant") return;
    if (event.message.finish === undefined || event.message.finish === "interrupted") return;
    forget();
    name(session, event.message.model, openModel, closing).catch(() => undefined);
  });
}

/** Does nothing when the title was changed meanwhile. */
async function name(
  session: Session,
  ref: ModelRef,
  openModel: (ref: ModelRef) => Promise<Model>,
  closing: AbortSignal,
): Promise<void> {
  const { title } = session.chat.session;
  const [first] = session.chat.messages;
  if (!first) return;
  const made = await askForTitle(await openModel(ref), ref.modelID, first, closing);
  if (made !== "" && session.chat.session.title === title && !closing.aborted) await session.rename(made);
}
