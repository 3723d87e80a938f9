/** The prompts that wait for the next step (Q2). They are stored at once, and outlive the process. */
import { type Chat, findEntry } from "../../chat/apply.ts";
import type { ChatEvent, Queued } from "../../chat/events.ts";
import { newID } from "../../chat/ids.ts";
import type { PromptInput } from "../../chat/prompt-input.ts";
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

export class PromptQueue {
  readonly #deps: QueueDeps;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  get isEmpty(): boolean {
    return this.#deps.chat.queue.length === 0;
  }

  /** Adds a prompt at the end. @throws IntakeError `queue-full`, RecordError when it cannot be kept: nothing is added */
  add(input: PromptInput): void {
    const { chat, flush, maxDepth } = this.#deps;
    const before = chat.queue;
    const most = maxDepth();
    if (before.length >= most) {
      throw new IntakeError(
        "queue-full",
        `${most} messages are already queued. Wait for the next step, or withdraw one.`,
      );
    }
    const { messageID, noReply: _, ...rest } = input;
    this.#set([...before, { ...rest, id: messageID ?? newID("msg") }]);
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

  /** Replaces the user's text in a prompt and keeps its other parts. */
  async edit(id: string, text: string): Promise<void> {
    await this.#change((queue) => queue.map((one) => (one.id === id ? withText(one, text) : one)));
  }

  /** Moves a prompt to position `to`, from 0. */
  async move(id: string, to: number): Promise<void> {
    await this.#change((queue) => {
      const one = queue.find((other) => other.id === id);
      const others = queue.filter((other) => other.id !== id);
      return one ? others.toSpliced(to, 0, one) : others;
    });
  }

  /** Empties the queue: `store` gets each prompt in order. */
  take(agents: AgentCatalog, store: (input: Omit<PromptInput, "noReply">) => void): void {
    const { chat, emit } = this.#deps;
    for (const { id, agent, ...input } of chat.queue) {
      // The process may have ended between storing the message and emptying the queue: its parts are stored again.
      if (findEntry(chat, id)) emit({ type: "reset", messageID: id });
      // Its agent may no longer exist; then the session's own answers.
      const isThere = agent !== undefined && agents.all().some(({ name }) => name === agent);
      store({ ...input, messageID: id, ...(isThere && { agent }) });
    }
    this.#set([]);
  }

  async #change(change: (queue: Queued[]) => Queued[]): Promise<void> {
    await this.#deps.locked(() => this.#set(change(this.#deps.chat.queue)));
  }

  #set(queue: Queued[]): void {
    this.#deps.emit({ type: "queued", queue });
  }
}

function withText(prompt: Queued, text: string): Queued {
  const others = prompt.parts.filter((part) => part.type !== "text" || part.synthetic || part.ignored);
  return { ...prompt, parts: [...others, { type: "text", text }] };
}
