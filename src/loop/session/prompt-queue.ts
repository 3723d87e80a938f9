/** The prompts that wait for the next step, or for the end of the turn (Q2). They are stored at once, and outlive the process. */

import { newID } from "../../base/ids.ts";
import { type Chat, findEntry } from "../../chat/apply.ts";
import type { ChatEvent, Queued } from "../../chat/events.ts";
import type { PromptInput, PromptPart, SendTime } from "../../chat/prompt-input.ts";
import { msg } from "../../l10n/l10n.ts";
import type { AgentCatalog } from "../agents/agents.ts";
import { IntakeError } from "./intake-error.ts";

interface QueueDeps {
  chat: Chat;
  emit(event: ChatEvent): void;
  /** Writes the record. @throws RecordError */
  flush(): void;
  /** Changes the record while no other process does. @throws IntakeError `session-locked` */
  locked(change: () => void): Promise<void>;
  maxDepth(): number;
}

/** Returns the prompts that join the turn at its next step. */
export function forNextStep({ queue }: Pick<Chat, "queue">): Queued[] {
  return queue.filter(({ when }) => when === "next-step");
}

/** In the order in which they are sent: those for the next step come first. */
export class PromptQueue {
  readonly #deps: QueueDeps;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  get isEmpty(): boolean {
    return this.#deps.chat.queue.length === 0;
  }

  has(id: string): boolean {
    return this.#deps.chat.queue.some((one) => one.id === id);
  }

  /** Adds a prompt behind those that are sent at the same time. @throws IntakeError `queue-full`, RecordError when it cannot be kept: nothing is added */
  add(input: PromptInput, when: SendTime): void {
    const { chat, flush, maxDepth } = this.#deps;
    const before = chat.queue;
    const most = maxDepth();
    if (before.length >= most) {
      throw new IntakeError(
        "queue-full",
        msg("{0} messages are already queued. Wait for the next step, or withdraw one.", most),
      );
    }
    const { messageID, noReply: _, ...rest } = input;
    this.#set([...before, { ...rest, id: messageID ?? newID("msg"), when }]);
    try {
      flush();
    } catch (error) {
      this.#set(before);
      throw error;
    }
  }

  async withdraw(id: string): Promise<void> {
    await this.#change((queue) => queue.filter((one) => one.id !== id));
  }

  /**
   * Replaces what was written in a prompt, texts and mentioned agents, and keeps its other parts, of which `kept` may
   * leave some out. Returns false for a prompt that is no longer queued.
   */
  async edit(
    id: string,
    written: readonly PromptPart[],
    kept = (parts: readonly PromptPart[]): readonly PromptPart[] => parts,
  ): Promise<boolean> {
    let isThere = false;
    await this.#change((queue) => {
      isThere = queue.some((one) => one.id === id);
      return queue.map((one) => (one.id === id ? rewritten({ ...one, parts: [...kept(one.parts)] }, written) : one));
    });
    return isThere;
  }

  async setTime(id: string, when: SendTime): Promise<void> {
    await this.#change((queue) => queue.map((one) => (one.id === id ? { ...one, when } : one)));
  }

  /** Makes a prompt the first one, for the next step. */
  async putFirst(id: string): Promise<void> {
    await this.#change((queue) => {
      const one = queue.find((other) => other.id === id);
      return one ? [{ ...one, when: "next-step" }, ...queue.filter((other) => other !== one)] : queue;
    });
  }

  /** Moves a prompt to position `to`, from 0, among those that are sent at the same time. */
  async move(id: string, to: number): Promise<void> {
    await this.#change((queue) => {
      const one = queue.find((other) => other.id === id);
      const others = queue.filter((other) => other.id !== id);
      return one ? others.toSpliced(to, 0, one) : others;
    });
  }

  /** Takes prompts out of the queue: `store` gets each one in order. */
  take(taken: readonly Queued[], agents: AgentCatalog, store: (input: Omit<PromptInput, "noReply">) => void): void {
    const { chat, emit } = this.#deps;
    for (const { id, agent, when: _, ...input } of taken) {
      // The process may have ended between storing the message and emptying the queue: its parts are stored again.
      if (findEntry(chat, id)) emit({ type: "reset", messageID: id });
      // Its agent may no longer exist; then the session's own answers.
      const isThere = agent !== undefined && agents.all().some(({ name }) => name === agent);
      store({ ...input, messageID: id, ...(isThere && { agent }) });
    }
    this.#set(chat.queue.filter((one) => !taken.includes(one)));
  }

  async #change(change: (queue: Queued[]) => Queued[]): Promise<void> {
    await this.#deps.locked(() => this.#set(change(this.#deps.chat.queue)));
  }

  #set(queue: Queued[]): void {
    const isNext = ({ when }: Queued) => when === "next-step";
    this.#deps.emit({ type: "queued", queue: [...queue.filter(isNext), ...queue.filter((one) => !isNext(one))] });
  }
}

/** What goes with comments for the model stays, as they do. */
function rewritten(prompt: Queued, written: readonly PromptPart[]): Queued {
  const hasComments = prompt.parts.some(({ type }) => type === "comment");
  const others = prompt.parts.filter((part) => {
    if (part.type === "text") return part.ignored || (part.synthetic && hasComments);
    return part.type !== "agent";
  });
  return { ...prompt, parts: [...others, ...written] };
}
