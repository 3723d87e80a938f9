/** The rules of one provider at another's address. */
import type { StrictProvider, StrictRequest, StrictRule } from "./strict-server.ts";

interface OtherAddress<Body> {
  providerID: string;
  /** What the model is called there. */
  model: string;
  /** What Rondo is told of that name. */
  models?: Readonly<Record<string, string>>;
  basePath: string;
  query?: string;
  /** Rules of the other address; they see requests as they come. */
  rules: readonly StrictRule<Body>[];
  refuse?: StrictProvider<Body>["refuse"];
}

/** `ownPath`: the path that the provider's own rules expect. */
export function renamed<Body extends { model: string }>(
  provider: StrictProvider<Body>,
  ownPath: string,
  other: OtherAddress<Body>,
): StrictProvider<Body> {
  const { api: _, ...own } = provider;
  const asOwn = ({ body, ...request }: StrictRequest<Body>): StrictRequest<Body> => ({
    ...request,
    path: ownPath,
    body: { ...body, model: provider.model },
  });
  const name: StrictRule<Body> = {
    source: "each API's reference: the model is called by its name there",
    breach: ({ body }) => (body.model === other.model ? undefined : `The model \`${body.model}\` does not exist.`),
  };
  const ownRules = provider.rules.map((rule) => ({
    ...rule,
    breach: (request: StrictRequest<Body>) => rule.breach(asOwn(request)),
  }));
  return {
    ...own,
    ...other,
    rules: [...other.rules, name, ...ownRules],
    reply: (reply, request) => provider.reply(reply, asOwn(request)),
  };
}
