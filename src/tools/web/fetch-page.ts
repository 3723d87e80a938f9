/** Fetches a page from the public internet and connects only to checked addresses, also after redirects. */

import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { version } from "../../base/version.ts";
import { msg } from "../../l10n/l10n.ts";
import { ToolError } from "../tool.ts";
import { hostOf, isPublicAddress, notPublic, publicURL } from "./address.ts";

export interface WebNetwork {
  resolve(host: string): Promise<LookupAddress[]>;
  isPublic(address: string): boolean;
}

export const publicInternet: WebNetwork = { resolve: (host) => lookup(host, { all: true }), isPublic: isPublicAddress };

export type FetchedPage =
  | {
      type: "page";
      /** After redirects. */
      url: URL;
      status: number;
      /** "text/html", in lower case; empty if the server sent none. */
      mime: string;
      /** As sent by the server. */
      charset: string | undefined;
      bytes: Buffer;
      /** Whether the page was longer than `pageLimit`. */
      isCut: boolean;
    }
  /** A redirect to another host, which was not followed. */
  | { type: "elsewhere"; to: URL };

/** Maximum number of decompressed bytes of a page. */
export const pageLimit = 5_000_000;
const mostRedirects = 5;

const headers = {
  "user-agent": `Rondo/${version}`,
  accept: "text/markdown, text/html, text/plain, application/json, application/xml;q=0.9, text/*;q=0.8",
  "accept-encoding": "gzip, br",
};

/** Uses no proxy, which would resolve the name again. @throws ToolError if it cannot be read; the signal's reason */
export async function fetchPage(from: URL, network: WebNetwork, signal: AbortSignal): Promise<FetchedPage> {
  let url = from;
  for (let hops = 0; ; hops++) {
    const response = await sendRequest(url, network, signal);
    const next = redirectTarget(response, url);
    if (!next) return await readPage(response, url, signal);
    response.destroy();
    const isSecure = next.protocol === url.protocol || next.protocol === "https:";
    if (next.host !== url.host || !isSecure) return { type: "elsewhere", to: next };
    if (hops === mostRedirects)
      throw new ToolError(msg("{0} redirects too often: it was followed {1} times.", from.href, hops));
    url = publicURL(next.href);
  }
}

async function sendRequest(url: URL, network: WebNetwork, signal: AbortSignal): Promise<http.IncomingMessage> {
  const host = hostOf(url);
  const isSecure = url.protocol === "https:";
  // Addresses do not go through `lookup`.
  if (/^[\d.]+$|:/.test(host) && !network.isPublic(host)) throw notPublic(host);
  return await new Promise<http.IncomingMessage>((resolve, reject) => {
    // Editors replace `http.request` by one that uses a proxy.
    const request = new http.ClientRequest(
      {
        // A new agent shares and keeps no connections.
        agent: isSecure ? new https.Agent() : new http.Agent(),
        protocol: url.protocol,
        host,
        port: url.port || (isSecure ? 443 : 80),
        path: `${url.pathname}${url.search}`,
        headers,
        lookup: checkedLookup(network),
        signal,
      },
      resolve,
    );
    request.on("error", (error) => reject(connectionError(error, url, signal)));
    request.end();
  });
}

/** Rejects a name if any of its addresses is not public. */
function checkedLookup(network: WebNetwork): LookupFunction {
  return (host, options, callback) => {
    network.resolve(host).then(
      (found) => {
        const [first] = found;
        if (!first || !found.every(({ address }) => network.isPublic(address))) callback(notPublic(host), "");
        else if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}

function redirectTarget({ statusCode = 0, headers }: http.IncomingMessage, url: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return undefined;
  if (!URL.canParse(headers.location, url)) throw new ToolError(msg("{0} redirects to an invalid address.", url.href));
  return new URL(headers.location, url);
}

async function readPage(response: http.IncomingMessage, url: URL, signal: AbortSignal): Promise<FetchedPage> {
  const [mime = "", ...parameters] = (response.headers["content-type"] ?? "").toLowerCase().split(";");
  const type = mime.trim();
  if (!readable.test(type)) {
    response.destroy();
    throw new ToolError(msg("{0} is of the type {1}, which cannot be read as text.", url.href, type.slice(0, 100)));
  }
  const charset = /^\s*charset\s*=\s*"?([^"\s]+)/.exec(parameters.find((one) => /^\s*charset/.test(one)) ?? "")?.[1];
  const { bytes, isCut } = await readBody(response, url, signal);
  return { type: "page", url, status: response.statusCode ?? 0, mime: type, charset, bytes, isCut };
}

const readable =
  /^$|^text\/|^application\/(.+\+)?(json|xml|yaml|x-yaml|toml|(x-)?javascript|typescript|x-ndjson|x-sh|sql)$/;

async function readBody(response: http.IncomingMessage, url: URL, signal: AbortSignal) {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of decompressed(response)) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > pageLimit) break;
    }
  } catch (error) {
    throw connectionError(error, url, signal);
  } finally {
    response.destroy();
  }
  const bytes = Buffer.concat(chunks);
  return { bytes: bytes.subarray(0, pageLimit), isCut: length > pageLimit };
}

/** Destroying the result ends the connection. */
function decompressed(response: http.IncomingMessage): Readable {
  const coding = response.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (coding === "identity") return response;
  if (coding !== "gzip" && coding !== "x-gzip" && coding !== "br") {
    throw new ToolError(msg('It answered in the encoding "{0}", which was not requested.', coding.slice(0, 40)));
  }
  // The reader gets the error.
  return pipeline(response, coding === "br" ? createBrotliDecompress() : createGunzip(), () => {});
}

function connectionError(error: unknown, url: URL, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof ToolError) return error;
  const { host } = url;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (/^(ENOTFOUND|EAI_AGAIN|ENODATA)$/.test(code))
    return new ToolError(msg("The address of {0} was not found.", host));
  if (code === "ECONNREFUSED") return new ToolError(msg("Nothing answers at {0}.", host));
  if (/CERT|SELF_SIGNED|ISSUER|TLS|SSL/.test(code))
    return new ToolError(msg("No secure connection to {0}: {1}.", host, code));
  return new ToolError(msg("The connection to {0} failed{1}.", host, code === "" ? "" : `: ${code}`));
}
