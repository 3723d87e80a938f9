/** Lets a tool see which paths the rules in force restrict, so that searches and commands leave them out or ask. */

import type { Rule } from "../../chat/requests.ts";
import { changesFiles } from "../../chat/tool-cards.ts";
import type { FolderListing, Host, Location, Workspace } from "../../tools/host.ts";
import type { PermissionRequirement } from "../../tools/tool.ts";
import { builtInRules, type Judgement, judge, type Lineage, type RuleBook } from "./rules.ts";

interface RulesOfCall {
  tool: string;
  book: RuleBook;
  lineage: Lineage;
}

/** Returns the host itself if no rule can restrict reading, or what a command changes. */
export function ruledHost(host: Host, given: RulesOfCall): Host {
  const call = withoutRulesForTools(given);
  const rules = restrictingRules(call);
  if (rules.length === 0) return host;
  const key = JSON.stringify([call.tool, call.book.mode, rules]);
  return { ...host, workspace: ruledWorkspace(host.workspace, call, key) };
}

/** A rule with the pattern `*` is about the tool, which is judged itself, and not about paths. */
function withoutRulesForTools({ tool, book, lineage }: RulesOfCall): RulesOfCall {
  const forPaths = <R extends Rule>(rules: readonly R[]) =>
    rules.filter(({ pattern, action }) => pattern !== "*" || action === "allow");
  return {
    tool,
    book: { ...book, user: forPaths(book.user), workspace: forPaths(book.workspace) },
    lineage: lineage.map((agent) => ({ ...agent, permission: forPaths(agent.permission) })),
  };
}

function restrictingRules({ tool, book: { user, workspace }, lineage }: RulesOfCall): Rule[] {
  // Patterns of rules for commands are not paths.
  const own = tool === "bash" ? "read" : tool;
  const all = [...user, ...workspace, ...lineage.flatMap(({ permission }) => permission)];
  const isAbout = ({ permission, action }: Rule) =>
    action !== "allow" && ["read", "external_directory", "*", own].includes(permission);
  return all.some(isAbout) || (tool === "bash" && all.some(restrictsChanges)) ? all : [];
}

/** Tools that change files require permission for each themselves; commands have to look for rules. */
const restrictsChanges = ({ permission, action }: Rule) =>
  action !== "allow" && (permission === "*" || changesFiles(permission));

function ruledWorkspace(workspace: Workspace, call: RulesOfCall, rules: string): Workspace {
  const { tool, book, lineage } = call;
  const isChanging = tool === "bash" && restrictingRules(call).some(restrictsChanges);
  const restrictsChange = (names: readonly string[]) => {
    const [pattern = "", ...others] = names;
    const need = { ...unjudged, permission: "edit", pattern, names: others, match: "possible" } as const;
    return judge(need, tool, book, lineage).decision !== "allow";
  };
  const judged = (path: RuledPath) => judgePath(path, (need) => judge(need, tool, book, lineage));
  return {
    get folders() {
      return workspace.folders;
    },
    get trusted() {
      return workspace.trusted;
    },
    restrictsChange: isChanging ? restrictsChange : undefined,
    async locate(name) {
      const location = await workspace.locate(name);
      const changesRestricted = isChanging && isChangeRestricted(location, (need) => judge(need, tool, book, lineage));
      return { ...location, restricted: judged(location).decision !== "allow", changesRestricted };
    },
    open: (place, signal) => workspace.open(place, signal),
    look: (location) => workspace.look(location),
    list: (path) => workspace.list(path),
    isGitIgnored: (file) => workspace.isGitIgnored(file),
    searchFilter(folder) {
      const filter = workspace.searchFilter(folder);
      // Whoever may search a folder that asks as a whole may see what only the same rule asks for.
      const whole = judged(folder);
      const isRestricted = (path: string) => {
        const { decision, rule } = judged(pathIn(folder, path, workspace.folders));
        return decision === "deny" || (decision === "ask" && rule !== whole.rule);
      };
      const key = JSON.stringify([rules, folder.path, folder.relative]);
      return {
        args: filter.args,
        rules,
        isExcluded: (path) => filter.isExcluded(path) || isRestricted(path),
        excludedIn(parent, listing) {
          const excluded = filter.excludedIn(parent, listing);
          const restricted = restrictedIn(listing, key, (name) =>
            isRestricted(parent === "" ? name : `${parent}/${name}`),
          );
          return restricted.length === 0 ? excluded : [...new Set([...excluded, ...restricted])];
        },
        modified: (path) => filter.modified(path),
      };
    },
    write: (...args) => workspace.write(...args),
    remove: (...args) => workspace.remove(...args),
  };
}

const judgedListings = new WeakMap<FolderListing, { rules: string; restricted: readonly string[] }>();

/** Judges the names in a listing once for the same rules. */
function restrictedIn(listing: FolderListing, rules: string, isRestricted: (name: string) => boolean) {
  const known = judgedListings.get(listing);
  if (known?.rules === rules) return known.restricted;
  const restricted = [...listing.files, ...listing.links].filter(isRestricted);
  judgedListings.set(listing, { rules, restricted });
  return restricted;
}

const unjudged = { suggestedRule: undefined, match: "pattern", protection: "none", effect: "" } as const;

export type RuledPath = Pick<Location, "path" | "relative" | "inside" | "names">;

/** Outside the workspace every path asks; only what is denied counts. */
export function judgePath(
  { path, relative, inside, names }: RuledPath,
  judged: (need: PermissionRequirement) => Judgement,
): Judgement {
  const need = { ...unjudged, names } as const;
  const outside = inside ? undefined : judged({ ...need, permission: "external_directory", pattern: path });
  return outside?.decision === "deny" ? outside : judged({ ...need, permission: "read", pattern: relative });
}

/** Only rules count: that changes ask in a mode is for the tools that make them. */
function isChangeRestricted(
  { relative, names }: RuledPath,
  judged: (need: PermissionRequirement) => Judgement,
): boolean {
  const { decision, rule } = judged({ ...unjudged, names, permission: "edit", pattern: relative });
  return decision !== "allow" && rule !== undefined && !builtInRules.some((one) => one === rule);
}

/** `path` is relative to the folder, with `/`. */
function pathIn(folder: Location, path: string, folders: readonly string[]): RuledPath {
  const below = (name: string) => (name === "." ? path : `${name.replace(/[/\\]$/, "")}/${path}`);
  const file = below(folder.path);
  const inner = folders.filter((one) => isBelow(one, folder.path) && isBelow(file, one));
  const names = [...folder.names.map(below), ...inner.map((one) => file.slice(one.length + 1))];
  return { path: file, relative: below(folder.relative), inside: folder.inside, names };
}

function isBelow(path: string, folder: string): boolean {
  return path.replaceAll("\\", "/").startsWith(`${folder.replaceAll("\\", "/")}/`);
}
