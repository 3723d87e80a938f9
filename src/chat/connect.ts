/** Messages about connecting a model: what the panel asks for, and what its forms show. */

import * as z from "zod/mini";

const ID = z.string().check(z.maxLength(200));
const Secret = z.string().check(z.maxLength(20_000));
const Address = z.string().check(z.maxLength(2000));

/** The forms' part of `ToHost`. Each key is sent once; the host keeps it in memory until it is stored or the form closes. */
export const connectRequests = [
  /** Looks for model servers and for VS Code's models. */
  z.object({ type: z.literal("look-for-models") }),
  /** Opens the form for a key. `providerID`: whose key; empty: any provider's. Answered with `connect`. */
  z.object({ type: z.literal("open-key-form"), providerID: ID }),
  /** `key`: empty for the one that was sent before. `providerID`: empty to recognize it. Answered with `connect`. */
  z.object({ type: z.literal("check-key"), key: Secret, providerID: ID, address: Address }),
  /** Answered with `connect`. */
  z.object({ type: z.literal("check-server"), address: Address, key: Secret }),
  /** Forgets what the form has sent. */
  z.object({ type: z.literal("close-form") }),
  /** Uses what the open form has checked, with this model. Answered with `connected`. */
  z.object({ type: z.literal("start-with"), modelID: z.string().check(z.minLength(1), z.maxLength(500)) }),
  /** Uses a server that was found, or VS Code's models. Answered with `connected`. */
  z.object({ type: z.literal("use-found"), providerID: ID }),
  /** Opens the page where the provider's users get keys, or add credit. */
  z.object({ type: z.literal("open-provider-page"), providerID: ID, page: z.enum(["keys", "credit"]) }),
  z.object({ type: z.literal("sign-in-to-copilot") }),
  /** Runs the command in a terminal that gets a model for a server without one. */
  z.object({ type: z.literal("pull-model"), providerID: ID }),
  /** Opens a recorded session. */
  z.object({ type: z.literal("open-tour") }),
] as const;

/** A model that a server without one can get: the smallest one that works well with tools. */
export interface PullableModel {
  command: string;
  /** "19 GB" */
  size: string;
  memory: string;
}

/** A server that answers. */
export interface AnsweringServer {
  providerID: string;
  name: string;
  /** Undefined where Rondo knows no command. */
  pull: PullableModel | undefined;
}

/** What is there to connect. */
export interface Connectable {
  /** Model servers that answer. */
  found: FoundServer[];
  /** "on this machine", or on which other. */
  where: string;
  /** Names of the servers that are looked for: all but the last, as a list, and the last. */
  sought: [string, string];
  /** Whether servers are being looked for. */
  isLooking: boolean;
  /** VS Code's models; undefined if there are none. */
  offered: { isCopilot: boolean; names: string[] } | undefined;
  /** Whether VS Code can sign in to Copilot, and nobody has. */
  canSignIn: boolean;
  /** The providers that take keys. */
  providers: NamedProvider[];
}

export interface NamedProvider {
  id: string;
  name: string;
}

interface FoundServer extends AnsweringServer {
  /** Number of its models that hold conversations. */
  models: number;
  needsKey: boolean;
}

/** What the open form shows. It never holds a key. */
export interface ConnectView {
  /** Undefined while it is not known. */
  provider: (NamedProvider & { hasKeyPage: boolean }) | undefined;
  /** Beginning and end of the key that was sent, for people to recognize it; empty before. */
  masked: string;
  check: ConnectCheck;
}

/** A model to start with. `price`: "$3 / $15" per million tokens in and out; empty where it is not known. */
export interface StartModel {
  modelID: string;
  label: string;
  price: string;
}

/** `said`: the server's own words, empty if it has none. */
export type ConnectCheck =
  | { type: "none" }
  | { type: "checking" }
  /** The key does not tell whose it is. */
  | { type: "which"; providers: NamedProvider[] }
  /** The provider has no address of its own. `example`: what one looks like. */
  | { type: "address"; example: string }
  /** `models`: empty where the server does not list them, so that the user types a name. `isNewKey`: a key was stored. */
  | { type: "accepted"; models: StartModel[]; isNewKey: boolean }
  | { type: "refused"; said: string }
  /** The server has no model yet. */
  | ({ type: "no-model" } & AnsweringServer)
  | { type: "no-credit"; said: string }
  | { type: "wants-key"; said: string }
  /** `hint`: how to start that server; empty if it is not known. */
  | { type: "no-answer"; host: string; hint: string }
  | { type: "invalid"; message: string };

/** A task to begin with, from what is in the folder. */
export interface Starter {
  glyph: "beaker" | "book" | "error";
  name: string;
  sub: string;
  /** What is written into the message box. */
  prompt: string;
}
