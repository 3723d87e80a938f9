/** Asks servers questions that are not prompts. Their answers are untrusted. */
import { fetchFor } from "./local-fetch.ts";

/** OpenRouter's list of models has about 1 MB. */
const maxBytes = 8 * 2 ** 20;

export interface JsonAnswer {
  status: number;
  /** Undefined where the answer is no JSON. */
  body: unknown;
}

/**
 * Sends GET, or POST with a body. Resolves with undefined when no whole answer of at most 8 MiB arrives within the
 * signal's time. Follows no redirects: they would take the key elsewhere.
 */
export async function askJson(
  url: string,
  { headers, body, signal }: { headers?: Record<string, string>; body?: object; signal: AbortSignal },
): Promise<JsonAnswer | undefined> {
  const sent = body && { method: "POST", body: new TextEncoder().encode(JSON.stringify(body)) };
  const type = body && { "content-type": "application/json" };
  try {
    const all = { accept: "application/json", ...type, ...headers };
    const response = await fetchFor(url)(url, { ...sent, headers: all, redirect: "error", signal });
    const text = await readText(response);
    return text === undefined ? undefined : { status: response.status, body: parse(text) };
  } catch {
    return undefined;
  }
}

async function readText({ body }: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
