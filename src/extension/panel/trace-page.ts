/** The trace of the shown session: measured and sent while its page is open, and for the collector if one is set. */
import os from "node:os";
import path from "node:path";
import type * as vscode from "vscode";
import type { LoopEvent } from "../../loop/loop-events.ts";
import { sendTurns } from "../../trace/collector.ts";
import { Tracer } from "../../trace/tracer.ts";
import { readSettings } from "../settings.ts";
import type { Handlers, PanelContext } from "./handlers.ts";
import { exportText } from "./open.ts";

const updateIntervalMs = 250;

export class TracePage implements vscode.Disposable {
  readonly #context: PanelContext;
  readonly #tracer: Tracer;
  #isShown = false;
  #timer: NodeJS.Timeout | undefined;

  readonly handlers = {
    "show-trace": () => this.#show(),
    "hide-trace": () => this.hide(),
    "export-trace": () => this.#export(),
  } satisfies Partial<Handlers>;

  constructor(context: PanelContext, log: vscode.LogOutputChannel) {
    this.#context = context;
    this.#tracer = new Tracer({
      chatOf: (id) => context.conversations.openChat(id),
      deliver(turns) {
        const endpoint = readSettings().traceCollector;
        if (endpoint === "") return;
        const headers = process.env["OTEL_EXPORTER_OTLP_HEADERS"];
        sendTurns({ endpoint, headers }, turns).catch((error: Error) => log.warn(error.message));
      },
    });
  }

  /** Takes an event of any session of this window. Does nothing while the page is closed and no collector is set. */
  event(event: LoopEvent): void {
    if (!this.#isMeasuring) return;
    this.#tracer.take(event);
    if (this.#isShown && event.type !== "stream:delta")
      this.#timer ??= setTimeout(() => this.#send(), updateIntervalMs);
  }

  firstByte(messageID: string, afterMs: number): void {
    if (this.#isMeasuring) this.#tracer.firstByte(messageID, afterMs);
  }

  get #isMeasuring(): boolean {
    return this.#isShown || readSettings().traceCollector !== "";
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #show(): void {
    this.#isShown = true;
    this.#send();
  }

  hide(): void {
    this.#isShown = false;
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { conversations, send } = this.#context;
    if (this.#isShown) send({ type: "trace", trace: this.#tracer.trace(conversations.current.chat) });
  }

  async #export(): Promise<void> {
    const { chat } = this.#context.conversations.current;
    const file = path.join(chat.session.cwd || os.homedir(), "trace.json");
    const text = () => JSON.stringify(this.#tracer.trace(chat), undefined, 2);
    await exportText("Export Trace", { JSON: ["json"] }, file, text);
  }
}
