/** Function calls between two threads over a port: a name, an input, and a result or an error message. */
import type { MessagePort, Worker } from "node:worker_threads";

/** Functions of one argument each. Arguments and results are cloned. */
export type ThreadApi = Record<string, (input: never) => unknown>;

type ThreadMessage =
  | { type: "call"; id: number; name: string; input: unknown }
  | { type: "answer"; id: number; value: unknown }
  | { type: "failure"; id: number; message: string };

export type CallInput<F extends ThreadApi, Name extends keyof F> = Parameters<F[Name]>[0];
export type CallOutput<F extends ThreadApi, Name extends keyof F> = Awaited<ReturnType<F[Name]>>;

/** Calls functions of the other thread (`Theirs`), and lets it call `own`. */
export class ThreadCalls<Theirs extends ThreadApi> {
  readonly #port: Pick<MessagePort | Worker, "postMessage">;
  readonly #open = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  #last = 0;

  constructor(port: MessagePort | Worker, own: ThreadApi) {
    this.#port = port;
    port.on("message", (message: ThreadMessage) => void this.#receive(message, own));
  }

  /** Number of unanswered calls. */
  get open(): number {
    return this.#open.size;
  }

  /** @throws Error with the message of the other thread's error */
  call<Name extends keyof Theirs & string>(
    name: Name,
    input: CallInput<Theirs, Name>,
  ): Promise<CallOutput<Theirs, Name>> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#port.postMessage({ type: "call", id, name, input } satisfies ThreadMessage);
    });
  }

  /** Rejects all unanswered calls, since the other thread has ended. */
  end(error: Error): void {
    for (const { reject } of this.#open.values()) reject(error);
    this.#open.clear();
  }

  async #receive(message: ThreadMessage, own: ThreadApi): Promise<void> {
    if (message.type === "call") {
      this.#port.postMessage(await answerCall(message, own));
      return;
    }
    const waiting = this.#open.get(message.id);
    this.#open.delete(message.id);
    if (message.type === "failure") waiting?.reject(new Error(message.message));
    // The other thread answers with the function's return type.
    else waiting?.resolve(message.value as never);
  }
}

async function answerCall(
  { id, name, input }: ThreadMessage & { type: "call" },
  own: ThreadApi,
): Promise<ThreadMessage> {
  try {
    // The other thread calls with the function's argument type.
    return { type: "answer", id, value: await own[name]?.(input as never) };
  } catch (error) {
    return { type: "failure", id, message: error instanceof Error ? error.message : String(error) };
  }
}
