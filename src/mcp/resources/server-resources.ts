/**
 * Resources of MCP servers, for a list in which the user searches and attaches: `findResources`, `readResource`. What
 * servers say of them is cleaned and cut; what they hold is attached as data.
 */

import { UriTemplate } from "@modelcontextprotocol/sdk/shared/uriTemplate.js";
import * as z from "zod/mini";
import { attempt } from "../../base/attempt.ts";
import type { CommandArgument } from "../../chat/command-arguments.ts";
import type { Attachment } from "../../chat/prompt-input.ts";
import { msg } from "../../l10n/l10n.ts";
import { completedValues } from "../completed-values.ts";
import { oneLine } from "../connection/server-text.ts";
import { ServerContent } from "../content.ts";
import type { McpServer } from "../mcp-server.ts";
import type { McpServers } from "../mcp-servers.ts";
import { ServerRequestError, startedServer, withTimeLimit } from "../request-failure.ts";

/** Maximum times in milliseconds. */
export interface ResourceTimes {
  list: number;
  read: number;
  complete: number;
}

const defaultTimes: ResourceTimes = { list: 5_000, read: 30_000, complete: 3_000 };

/** Limits of the entries of one server, and of the characters of an address. */
const maxResources = 1000;
const maxUriLength = 2000;
const maxNameLength = 200;
/** A template with more of them is not offered: nobody would give them all. */
const maxVariables = 20;

/**
 * What a server offers. A template has variables in its address, in braces: `completeVariable` offers values, and
 * `resourceAddress` fills them in. All texts are single visible lines, and claims of the server.
 */
export type FoundResource =
  | {
      type: "resource";
      server: string;
      uri: string;
      name: string;
      description: string;
      mime: string;
      bytes: number | undefined;
    }
  | {
      type: "template";
      server: string;
      uri: string;
      name: string;
      description: string;
      mime: string;
      variables: CommandArgument[];
    };
type FoundTemplate = Extract<FoundResource, { type: "template" }>;

/** `attachments`: texts and images. `notes`: sentences about what was cut or left out. */
export interface ReadResource {
  attachments: Attachment[];
  notes: string[];
}

interface Listed {
  version: number;
  found: Promise<FoundResource[]>;
}

export class ServerResources {
  readonly #servers: McpServers;
  readonly #times: ResourceTimes;
  readonly #listed = new WeakMap<McpServer, Listed>();

  constructor(servers: McpServers, times: Partial<ResourceTimes> = {}) {
    this.#servers = servers;
    this.#times = { ...defaultTimes, ...times };
  }

  /**
   * Returns the resources of all running servers whose name, address, description or server holds every word of `query`:
   * those whose name begins with it first, then in the servers' order. A server that fails or is slow has none. The lists
   * are kept until a server says that they have changed. Servers are not started: call `start` when the list opens.
   * Never rejects.
   */
  async findResources(query: string, most = 50): Promise<FoundResource[]> {
    const running = this.#servers.all.filter((server) => server.offers?.resources);
    const all = (await Promise.all(running.map((server) => this.#list(server)))).flat();
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ server, uri, name, description }: FoundResource) => {
      const text = `${server}:${uri} ${name} ${description}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const rank = ({ name }: FoundResource) => (name.toLowerCase().startsWith(words[0] ?? "") ? 0 : 1);
    return all
      .filter(fits)
      .toSorted((a, b) => rank(a) - rank(b))
      .slice(0, most);
  }

  /** Starts the servers that may run. Never rejects. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#servers.ready(signal);
  }

  /**
   * Reads a resource: its texts, cut at a limit, and its images become attachments. Other binaries are left out.
   * @throws ServerRequestError (a sentence, and `next`) if the server fails, is slow, or has nothing that can be attached;
   * the signal's reason on abort
   */
  async readResource(server: string, uri: string, signal: AbortSignal): Promise<ReadResource> {
    const started = await startedServer(this.#servers, server, signal);
    const answer = await withTimeLimit(server, this.#times.read, signal, (limited) =>
      started.request(limited, (connection) => connection.ask("resources/read", { uri }, limited)),
    );
    return resourceContent(server, uri, answer);
  }

  /**
   * Reads what a template addresses with these values of its variables.
   * @throws as `readResource`, and if a value is missing
   */
  async readTemplate(
    { server, uri }: Pick<FoundTemplate, "server" | "uri">,
    values: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ReadResource> {
    return await this.readResource(server, resourceAddress({ uri, variables: variablesOf(uri) }, values), signal);
  }

  /** Returns values for a variable of a template. `given`: values of the others. Never rejects. */
  async completeVariable(
    template: Pick<FoundTemplate, "server" | "uri">,
    argument: { name: string; value: string },
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<string[]> {
    const server = this.#servers.get(template.server);
    if (!server?.offers?.completions) return [];
    const params = { ref: { type: "ref/resource", uri: template.uri }, argument, context: { arguments: given } };
    try {
      const answer = await withTimeLimit(template.server, this.#times.complete, signal, (limited) =>
        server.request(limited, (connection) => connection.ask("completion/complete", params, limited), false),
      );
      return completedValues(answer);
    } catch {
      return [];
    }
  }

  #list(server: McpServer): Promise<FoundResource[]> {
    const known = this.#listed.get(server);
    if (known?.version === server.resourceVersion) return known.found;
    const listed = { version: server.resourceVersion, found: this.#read(server) };
    this.#listed.set(server, listed);
    return listed.found;
  }

  /** A list that fails is read again next time. */
  async #read(server: McpServer): Promise<FoundResource[]> {
    const { name } = server.config;
    const list = (method: "resources/list" | "resources/templates/list") =>
      withTimeLimit(name, this.#times.list, new AbortController().signal, (limited) =>
        server.request(limited, (connection) => connection.list(method, limited), false),
      );
    const [resources, templates] = await Promise.allSettled([list("resources/list"), list("resources/templates/list")]);
    if (resources.status === "rejected") this.#listed.delete(server);
    const found = [
      ...(resources.status === "fulfilled" ? resources.value.flatMap((entry) => resourceOf(name, entry)) : []),
      ...(templates.status === "fulfilled" ? templates.value.flatMap((entry) => templateOf(name, entry)) : []),
    ];
    return [...new Map(found.toReversed().map((one) => [one.uri, one])).values()].toReversed().slice(0, maxResources);
  }
}

/**
 * Fills the variables of a template in.
 * @throws ServerRequestError if a required one is missing, the address is too long, or the template cannot be used
 */
export function resourceAddress(
  { uri, variables }: Pick<FoundTemplate, "uri" | "variables">,
  values: Readonly<Record<string, string>>,
): string {
  const given = (name: string) => (Object.hasOwn(values, name) ? (values[name] ?? "") : "");
  const isComplete = variables.length > 0 && variables.every((one) => !one.isRequired || given(one.name) !== "");
  const single = withSingleVariables(uri, (name) => given(name) !== "");
  const filled = variables.flatMap(({ name }): [string, string | string[]][] => {
    const value = given(name);
    if (value === "") return [];
    // Each "/" of an exploded path stays one: https://www.rfc-editor.org/rfc/rfc6570#section-3.2.6
    return [[name, single.includes(`{/${name}*}`) ? value.split("/").filter(Boolean) : value]];
  });
  const expanded = isComplete ? attempt(() => new UriTemplate(single).expand(Object.fromEntries(filled)), "") : "";
  if (expanded !== "" && expanded.length <= maxUriLength) return expanded;
  if (expanded !== "") {
    throw new ServerRequestError(
      msg("The address has more than {0} characters.", maxUriLength),
      msg("Give shorter values."),
    );
  }
  throw new ServerRequestError(
    msg("The address {0} is not complete.", uri),
    msg("Give a value to each of its variables."),
  );
}

/**
 * Writes an expression of several variables, of which those without a value are left out, as several of one each. The SDK
 * would join their values by commas, without the separator of the expression and as they are ("expandPart" in
 * https://github.com/modelcontextprotocol/typescript-sdk/blob/v1.x/src/shared/uriTemplate.ts). What they mean:
 * https://www.rfc-editor.org/rfc/rfc6570#section-3.2.1
 */
function withSingleVariables(uri: string, isGiven: (name: string) => boolean): string {
  return uri.replace(/\{(?![?&])([+#./]?)([^{}]*)\}/g, (whole, operator: string, list: string) => {
    if (!list.includes(",")) return whole;
    const names = list.split(",").map((name) => name.trim());
    const kept = names.filter((name) => isGiven(name.replace("*", "")));
    if (operator === "/" || operator === ".") return kept.map((name) => `{${operator}${name}}`).join("");
    // "#" stands once, and what follows it is encoded as after "+".
    return kept.map((name, at) => `{${at > 0 && operator === "#" ? "+" : operator}${name}}`).join(",");
  });
}

const Entry = z.object({
  name: z.optional(z.unknown()),
  title: z.optional(z.unknown()),
  description: z.optional(z.unknown()),
  mimeType: z.optional(z.unknown()),
});
const ResourceEntry = z.extend(Entry, { uri: z.string(), size: z.optional(z.unknown()) });
const TemplateEntry = z.extend(Entry, { uriTemplate: z.string() });

function resourceOf(server: string, entry: unknown): FoundResource[] {
  const given = ResourceEntry.safeParse(entry).data;
  if (!given || !isAddress(given.uri)) return [];
  const { uri, size } = given;
  const bytes = typeof size === "number" && size >= 0 ? size : undefined;
  return [{ type: "resource", server, uri, ...claims(given, uri), bytes }];
}

function templateOf(server: string, entry: unknown): FoundResource[] {
  const given = TemplateEntry.safeParse(entry).data;
  if (!given || !isAddress(given.uriTemplate)) return [];
  const uri = given.uriTemplate;
  const variables = variablesOf(uri);
  return variables.length === 0 ? [] : [{ type: "template", server, uri, ...claims(given, uri), variables }];
}

/**
 * Returns the variables of a template, each once; none where one of them cannot be given. Those of an expression that
 * brings its own separator may be left out: without values, the separator is not written either.
 */
function variablesOf(uri: string): CommandArgument[] {
  const names = [...new Set(attempt(() => new UriTemplate(uri).variableNames, []))];
  // A name of RFC 6570, without "%41", and none that every object of JavaScript has.
  const isUsable = (name: string) => /^[\w.]{1,100}$/.test(name) && !(name in {});
  if (names.length > maxVariables || !names.every(isUsable)) return [];
  const optional = [...uri.matchAll(/\{[?&/.#]([^{}]*)\}/g)].flatMap(([, expression = ""]) =>
    expression.split(",").map((name) => name.replace("*", "").trim()),
  );
  return names.map((name) => ({ name, description: "", isRequired: !optional.includes(name) }));
}

/** The address is sent back as it is, so that one with characters that are not shown is no address. */
const isAddress = (uri: string): boolean => uri !== "" && oneLine(uri, maxUriLength) === uri;

function claims({ name, title, description, mimeType }: z.infer<typeof Entry>, uri: string) {
  const text = (given: unknown) => (typeof given === "string" ? oneLine(given, maxNameLength) : "");
  const named = text(title) || text(name) || oneLine(uri, maxNameLength);
  return { name: named, description: text(description), mime: text(mimeType) };
}

const Contents = z.object({ contents: z.array(z.unknown()) });
const Content = z.object({ uri: z.string(), text: z.optional(z.string()), blob: z.optional(z.string()) });

/** Maximum number of contents of a resource, which may be a folder. */
const maxContents = 50;

function resourceContent(server: string, uri: string, answer: unknown): ReadResource {
  const contents = Contents.safeParse(answer).data?.contents;
  if (!contents)
    throw new ServerRequestError(
      msg("The answer of the MCP server {0} is malformed.", server),
      msg("Look at its log."),
    );
  const content = new ServerContent();
  for (const one of contents.slice(0, maxContents)) {
    const given = Content.safeParse(one).data;
    const name = oneLine(given?.uri || uri, maxNameLength);
    if (given?.text !== undefined) content.addText(name, given.text);
    else if (given?.blob !== undefined) content.addBinary(name, given.blob);
    else content.notes.push(msg("A part of {0} was left out: it is neither text nor data.", name));
  }
  if (contents.length > maxContents)
    content.notes.push(msg("Only the first {0} parts of {1} are attached.", maxContents, uri));
  const { attachments, notes } = content;
  if (attachments.length > 0) return { attachments, notes };
  const why = notes.length > 0 ? notes.join(" ") : msg("It is empty.");
  throw new ServerRequestError(
    msg("{0} of the MCP server {1} is not attached. {2}", oneLine(uri, maxNameLength), server, why),
    "",
  );
}
