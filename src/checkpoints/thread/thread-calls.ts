/** Calls over a port between two threads: a name, arguments, and an answer or the words of an error. */
import type { MessagePort, Worker } from "node:worker_threads";

/** Functions of one argument each; what they take and give is cloned. */
export type Functions = Record<string, (input: never) => unknown>;

type Message =
  | { type: "call"; id: number; name: string; input: unknown }
  | { type: "answer"; id: number; value: unknown }
  | { type: "failure"; id: number; message: string };

export type Input<F extends Functions, Name extends keyof F> = Parameters<F[Name]>[0];
export type Output<F extends Functions, Name extends keyof F> = Awaited<ReturnType<F[Name]>>;

/** `Theirs` can be called; `own` are called from there. */
export class Calls<Theirs extends Functions> {
  readonly #port: Pick<MessagePort | Worker, "postMessage">;
  readonly #open = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  #last = 0;

  constructor(port: MessagePort | Worker, own: Functions) {
    this.#port = port;
    port.on("message", (message: Message) => void this.#receive(message, own));
  }

  /** How many are not answered. */
  get open(): number {
    return this.#open.size;
  }

  /** @throws Error with the other thread's words */
  call<Name extends keyof Theirs & string>(name: Name, input: Input<Theirs, Name>): Promise<Output<Theirs, Name>> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#port.postMessage({ type: "call", id, name, input } satisfies Message);
    });
  }

  /** There will be no answers any more. */
  end(error: Error): void {
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }

  async #receive(message: Message, own: Functions): Promise<void> {
    if (message.type === "call") {
      this.#port.postMessage(await answerTo(message, own));
      return;
    }
    const waiting = this.#open.get(message.id);
    this.#open.delete(message.id);
    if (message.type === "failure") waiting?.reject(new Error(message.message));
    // The other side answers with what the function's type says.
    else waiting?.resolve(message.value as never);
  }
}

async function answerTo({ id, name, input }: Message & { type: "call" }, own: Functions): Promise<Message> {
  try {
    // As above: the caller's type is that of the function.
    return { type: "answer", id, value: await own[name]?.(input as never) };
  } catch (error) {
    return { type: "failure", id, message: error instanceof Error ? error.message : String(error) };
  }
}
