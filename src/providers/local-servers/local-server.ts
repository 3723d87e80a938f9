/** What a kind of model server on the user's machine has to say of itself: its family has it as `local`. */
import type { PullableModel } from "../../chat/connect.ts";
import type { ServerFacts } from "../catalog/server-facts.ts";
import { fields, isShowable, list, text } from "../shared/answer-fields.ts";

export interface LocalServerKind {
  /** Recognizes the server by what it answers, and returns its models; undefined where it is another one. */
  find(get: ProbeGet): Promise<FoundModels | undefined>;
  /** Asks its own endpoints what it knows of a model. Absent: it says all where every server does. */
  describe?(server: DescribedServer, model: string): Promise<ServerFacts>;
  /** How to start it: a sentence for the user. */
  start: string;
  /** A model for those who have none, and the command that gets it. */
  pull?: PullableModel;
}

export type ProbeGet = (path: string) => Promise<{ status: number; body: unknown } | undefined>;

export interface FoundModels {
  /** Models that hold conversations; none where the server tells them only to those who have its key. */
  models: LocalModel[];
  needsKey?: true;
}

/** `contextWindow`: the one that the model is loaded with. */
export interface LocalModel extends Pick<ServerFacts, "label" | "contextWindow" | "images"> {
  id: string;
}

export interface DescribedServer {
  /** Resolves with the answer; undefined where there is none, or an error. */
  get(path: string, body?: object): Promise<unknown>;
  /** Whether requests go to its own API, and tell it which window to load the model with. */
  setsWindow: boolean;
  /** Whether it runs on this machine. */
  isHere: boolean;
  /** Whether its provider is known. */
  isNamed: boolean;
}

/** Returns the entries of a list of models as OpenAI has it that belong to somebody. */
export function ownedBy(answer: unknown, owner: string): Record<string, unknown>[] {
  return list(fields(answer)["data"]).filter(({ owned_by }) => owned_by === owner);
}

/** Returns the model of a name, with what is known of it; nothing for what is no name. */
export function toModel(name: unknown, read: (id: string) => ServerFacts | undefined): LocalModel[] {
  const id = text(name);
  if (id === undefined) return [];
  const { label, contextWindow, images } = read(id) ?? {};
  return [
    {
      id,
      ...(label !== undefined && isShowable(label) && { label }),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(images !== undefined && { images }),
    },
  ];
}
