/** The boundary of the files that Rondo reads on its own in a window. */
import { ruledOut } from "../../loop/permissions/own-reads.ts";
import type { ReadBoundary } from "../../tools/node-host/config-files.ts";
import type { StoredRules } from "../rules/stored-rules.ts";
import { readSettings } from "../settings.ts";

/** Returns a function for the present boundary. `warn` gets each sentence about a file that is left out once. */
export function windowBoundary(rules: StoredRules, warn: (sentence: string) => void): () => ReadBoundary {
  const told = new Set<string>();
  const onLeftOut = (sentence: string) => {
    if (told.has(sentence)) return;
    told.add(sentence);
    warn(sentence);
  };
  return () => {
    const inForce = rules.inForce();
    return { secrets: readSettings().secrets, ruledOut: (place) => ruledOut(place, inForce), onLeftOut };
  };
}
