/** Lets the model name a new session after its first reply (L5). */
import type { Chat } from "../../chat/apply.ts";
import type { ChatEvent } from "../../chat/events.ts";
import type { ModelRef } from "../../chat/message.ts";
import type { AgentCatalog } from "../agents/agents.ts";
import type { Model } from "../model.ts";
import { modelOf } from "../setup/agent-config.ts";
import { askForTitle } from "./title.ts";

interface NamedSession {
  readonly chat: Chat;
  listen(listener: (event: ChatEvent) => void): () => void;
  rename(title: string): Promise<void>;
}

interface NamingDeps {
  session: NamedSession;
  agents(): AgentCatalog;
  openModel(ref: ModelRef): Promise<Model>;
  closing: AbortSignal;
}

/** A failure is invisible: the title derived from the prompt stays. */
export function nameAfterFirstReply(naming: NamingDeps): void {
  const forget = naming.session.listen((event) => {
    if (event.type !== "message" || event.message.role !== "assistant") return;
    if (event.message.finish === undefined || event.message.finish === "interrupted") return;
    forget();
    name(naming, event.message.model).catch(() => undefined);
  });
}

/** Does nothing if the title has changed meanwhile. */
async function name({ session, agents, openModel, closing }: NamingDeps, usual: ModelRef): Promise<void> {
  const { title } = session.chat.session;
  const [prompt] = session.chat.messages;
  if (!prompt) return;
  const agent = agents().find("title");
  const ref = modelOf(agent, usual);
  const made = await askForTitle({ model: await openModel(ref), modelID: ref.modelID, agent, prompt, closing });
  if (made !== "" && session.chat.session.title === title && !closing.aborted) await session.rename(made);
}
