/** Which variables of the environment the programs that Rondo starts get. */
import { keysIn } from "../key-names.ts";
import { keyVariables } from "../key-variables.ts";

/** The editor's own variables would make its programs, and Node, behave as parts of it. */
const editors = /^(ELECTRON|VSCODE)_/i;

/** Returns the environment without keys of providers and without the editor's own variables, but with those `passed`. */
export function withoutKeys(env = process.env, passed: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const keys = new Set(keysIn(env));
  const others = Object.entries(env).filter(([name]) => !keys.has(name) && !editors.test(name));
  return { ...Object.fromEntries(others), ...passed };
}

/** Returns the variables that the user lets through to commands and hooks, by their names. */
export function passedVariables(names: readonly string[], env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** Returns the variables that a shell must not have whose own files may set them. */
export function withheldNames(passed: NodeJS.ProcessEnv): string[] {
  const names = [...keyVariables, ...keysIn(process.env).filter((name) => /^\w+$/.test(name))];
  return [...new Set(names)].filter((name) => !Object.hasOwn(passed, name));
}
