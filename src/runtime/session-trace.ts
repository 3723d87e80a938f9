/** The trace of a session without a window: written to a file, sent to a collector. */
import { writeFile } from "node:fs/promises";
import type { Chat } from "../chat/apply.ts";
import { sendTurns } from "../trace/collector.ts";
import { Tracer } from "../trace/tracer.ts";

export interface SessionTrace extends Pick<Tracer, "take" | "firstByte"> {
  /** Writes the file and waits for open deliveries. Never rejects: failures are reported. */
  close(): Promise<void>;
}

interface TracePlaces {
  file: string | undefined;
  /** Address of an OpenTelemetry collector. */
  collector: string | undefined;
  /** For the collector, as in `OTEL_EXPORTER_OTLP_HEADERS`. */
  headers: string | undefined;
}

/** Returns undefined where no trace is wanted. `say` gets a sentence about what fails. */
export function sessionTrace(
  chat: Chat,
  { file, collector: endpoint, headers }: TracePlaces,
  say: (sentence: string) => void,
): SessionTrace | undefined {
  if (file === undefined && endpoint === undefined) return undefined;
  const report = (error: unknown) => say(error instanceof Error ? error.message : String(error));
  const deliveries: Promise<void>[] = [];
  const tracer = new Tracer({
    chatOf: (id) => (id === chat.session.id ? chat : undefined),
    deliver(turns) {
      if (endpoint !== undefined) deliveries.push(sendTurns({ endpoint, headers }, turns).catch(report));
    },
  });
  return {
    take: (event) => tracer.take(event),
    firstByte: (messageID, afterMs) => tracer.firstByte(messageID, afterMs),
    async close() {
      await Promise.all(deliveries);
      if (file === undefined) return;
      await writeFile(file, `${JSON.stringify(tracer.trace(chat), undefined, 2)}\n`, { mode: 0o600 }).catch(report);
    },
  };
}
