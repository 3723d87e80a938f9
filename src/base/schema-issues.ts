/** Says in words for people which field of a value does not fit its schema. */

interface Issue {
  readonly path?: readonly PropertyKey[] | undefined;
}

/** Returns the name of the field: "mcpServers.args.0"; empty for the value as a whole. */
export function fieldOf({ path = [] }: Issue): string {
  return path.map(String).join(".");
}

/** Returns the end of a sentence. Messages of zod itself do not name the field; `whole` is said of the value as a whole. */
export function issueWords(issue: Issue & { readonly message: string }, whole: string): string {
  const field = fieldOf(issue);
  if (field === "") return whole;
  return issue.message.startsWith(field) ? issue.message : `${field} ${issue.message}`;
}
