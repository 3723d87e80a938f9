/** The trace of a query: written to a file, sent to a collector. */
import { writeFile } from "node:fs/promises";
import type { Chat } from "../chat/apply.ts";
import { sendTurns } from "../trace/collector.ts";
import { Tracer } from "../trace/tracer.ts";
import type { Options } from "./query-types.ts";

export interface RunTrace extends Pick<Tracer, "take" | "firstByte"> {
  /** Writes the file and waits for open deliveries. Never rejects: failures are reported. */
  close(): Promise<void>;
}

export function createRunTrace(chat: Chat, options: Options, say: (sentence: string) => void): RunTrace | undefined {
  const { traceFile, traceCollector: endpoint, env = process.env } = options;
  if (traceFile === undefined && endpoint === undefined) return undefined;
  const report = (error: unknown) => say(error instanceof Error ? error.message : String(error));
  const deliveries: Promise<void>[] = [];
  const tracer = new Tracer({
    chatOf: (id) => (id === chat.session.id ? chat : undefined),
    deliver(turns) {
      const headers = env["OTEL_EXPORTER_OTLP_HEADERS"];
      if (endpoint !== undefined) deliveries.push(sendTurns({ endpoint, headers }, turns).catch(report));
    },
  });
  return {
    take: (event) => tracer.take(event),
    firstByte: (messageID, afterMs) => tracer.firstByte(messageID, afterMs),
    async close() {
      await Promise.all(deliveries);
      if (traceFile === undefined) return;
      await writeFile(traceFile, `${JSON.stringify(tracer.trace(chat), undefined, 2)}\n`, { mode: 0o600 }).catch(
        report,
      );
    },
  };
}
