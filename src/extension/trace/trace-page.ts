/** The trace of the shown session: measured and sent while its page is open, and for the collector if one is set. */

import os from "node:os";
import path from "node:path";
import { t } from "../../l10n/l10n.ts";
import { sendTurns } from "../../trace/collector.ts";
import { Tracer } from "../../trace/tracer.ts";
import { exportText } from "../answers/open.ts";
import type { Feature } from "../feature.ts";
import type { Handlers, PanelContext } from "../panel/handlers.ts";
import type { WindowServices } from "../services.ts";
import type { SessionObserver } from "../sessions/observers.ts";
import { readSettings } from "../settings.ts";
import type { EditorWindow } from "../window.ts";

const updateIntervalMs = 250;

export class TracePage implements Feature {
  readonly #window: EditorWindow;
  readonly #context: PanelContext;
  /** Undefined while the page is closed and no collector is set: then nothing is measured or kept. */
  #tracer: Tracer | undefined;
  #isShown = false;
  #timer: NodeJS.Timeout | undefined;

  readonly handlers = {
    "show-trace": () => this.#show(),
    "hide-trace": () => this.#hide(),
    "export-trace": () => this.#export(),
  } satisfies Partial<Handlers>;

  readonly commands = {
    "rondo.showTrace": () => this.#window.panel.revealed(() => this.#context.send({ type: "show-trace" }))(),
  };

  readonly observer = {
    loopEvent: (event) => {
      this.#measuring()?.take(event);
      if (this.#isShown && event.type !== "stream:delta")
        this.#timer ??= setTimeout(() => this.#send(), updateIntervalMs);
    },
    firstByte: (messageID, afterMs) => this.#measuring()?.firstByte(messageID, afterMs),
  } satisfies Partial<SessionObserver>;

  constructor(window: EditorWindow, { page }: WindowServices) {
    this.#window = window;
    this.#context = page;
  }

  pageGone(): void {
    this.#hide();
  }

  dispose(): void {
    this.#hide();
  }

  #show(): void {
    this.#isShown = true;
    this.#send();
  }

  #hide(): void {
    this.#isShown = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#measuring();
  }

  #measuring(): Tracer | undefined {
    const isNeeded = this.#isShown || readSettings().traceCollector !== "";
    this.#tracer = isNeeded ? (this.#tracer ?? this.#newTracer()) : undefined;
    return this.#tracer;
  }

  #newTracer(): Tracer {
    return new Tracer({
      chatOf: (id) => this.#context.conversations.openChat(id),
      deliver: (turns) => {
        const endpoint = readSettings().traceCollector;
        if (endpoint === "") return;
        const headers = process.env["OTEL_EXPORTER_OTLP_HEADERS"];
        sendTurns({ endpoint, headers }, turns).catch((error: Error) => this.#window.log.warn(error.message));
      },
    });
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const trace = this.#measuring()?.trace(this.#context.conversations.current.chat);
    if (this.#isShown && trace) this.#context.send({ type: "trace", trace });
  }

  async #export(): Promise<void> {
    const { chat } = this.#context.conversations.current;
    const tracer = this.#measuring();
    if (!tracer) return;
    const file = path.join(chat.session.cwd || os.homedir(), "trace.json");
    const text = () => JSON.stringify(tracer.trace(chat), undefined, 2);
    await exportText(t("Export Trace"), { JSON: ["json"] }, file, text);
  }
}
