/** Sends finished turns to the OpenTelemetry collector that the user has configured. */
import type { TurnTrace } from "../chat/trace.ts";
import { otlpRequest } from "./otlp.ts";

export interface CollectorAddress {
  /** `http://localhost:4318` stands for `http://localhost:4318/v1/traces`, as for other OTLP exporters. */
  endpoint: string;
  /** "key=value,key2=value2", values percent-encoded, as in OTEL_EXPORTER_OTLP_HEADERS. */
  headers: string | undefined;
}

/** @throws Error with a sentence, when the collector cannot be reached or refuses the spans */
export async function sendTurns({ endpoint, headers }: CollectorAddress, turns: readonly TurnTrace[]): Promise<void> {
  try {
    const response = await fetch(tracesURL(endpoint), {
      method: "POST",
      headers: { ...parseHeaders(headers ?? ""), "content-type": "application/json" },
      body: JSON.stringify(otlpRequest(turns)),
      // A redirect could carry the headers to another host.
      redirect: "error",
      signal: AbortSignal.timeout(10_000),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`it answered ${response.status}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The trace was not sent to ${endpoint}: ${why}.`, { cause: error });
  }
}

function tracesURL(endpoint: string): URL {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith("/v1/traces")) url.pathname = `${url.pathname.replace(/\/$/, "")}/v1/traces`;
  return url;
}

function parseHeaders(text: string): Record<string, string> {
  const pairs = text.split(",").map((pair) => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const;
  });
  return Object.fromEntries(pairs.filter(([key]) => key !== ""));
}
