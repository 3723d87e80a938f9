/** What programs of PowerShell and cmd do (`Get-Alias` of PowerShell 7 and Windows PowerShell 5.1; `help` of cmd). */

export interface WindowsUse {
  /** `change`: it changes all files that it names. */
  use: "read" | "unknown" | "change";
  /** Whether it may read all files of the folders that it names. */
  isRecursive: boolean;
}

const readers =
  /^(?:get-content|gc|cat|type|select-string|sls|findstr|find|more|get-filehash|format-hex|fhx|get-childitem|gci|dir|ls|get-item|gi|test-path|resolve-path|rvpa|import-csv|ipcsv)$/;

/** Programs that change all files that they name; those that copy read some of them. */
const changers =
  /^(?:remove-item|ri|rm|rmdir|rd|del|erase|move-item|mi|mv|move|rename-item|rni|ren|rename|new-item|ni|md|mkdir|set-content|sc|add-content|ac|clear-content|clc|set-item|si|clear-item|cli|set-itemproperty|sp|out-file|attrib|icacls|takeown|fsutil)$/;

/** Programs that change something and have several names, so that a rule may mean them by another one. */
const severalNames =
  /^(?:remove-item|ri|rm|rmdir|rd|del|erase|copy-item|cpi|cp|copy|move-item|mi|mv|move|rename-item|rni|ren|rename|new-item|ni|md|mkdir|set-content|sc|add-content|ac|clear-content|clc|set-item|si|invoke-webrequest|iwr|curl|wget|invoke-restmethod|irm|invoke-expression|iex|invoke-command|icm|invoke-item|ii|start-process|saps|start|stop-process|spps|kill|set-location|sl|cd|chdir)$/;

const takesFolders = /\b(?:robocopy|xcopy|copy-item|cpi|cp|copy|move-item|compress-archive|tar|7z|rg|scp|rsync)\b/i;
const readsContent =
  /\b(?:get-content|gc|cat|type|select-string|sls|findstr|copy-item|cpi|copy|foreach-object)\b|%\s*\{/i;
const goesDeeper = /(?:^|\s)(?:-r(?:ec(?:urse)?)?|-recurse:\$true|[-/]s)\b|\*\*/i;

/** `plain`: the words of a single command without quotes, else none. `words`: all that may be words. */
export function windowsUse(command: string, plain: readonly string[], words: readonly string[]): WindowsUse {
  const isSingle = !/[;|&(){}<>\n$`%!@#^]/.test(command.trim());
  const changes = isSingle && changers.test(programName(words[0] ?? ""));
  const use = readers.test(programName(plain[0] ?? "")) ? "read" : changes ? "change" : "unknown";
  return { use, isRecursive: takesFolders.test(command) || (goesDeeper.test(command) && readsContent.test(command)) };
}

/** Returns the words that rules which deny or ask are compared with: Windows ignores letter case and endings. */
export function namesForRules([program = "", ...rest]: readonly string[]): (string | undefined)[] {
  const name = programName(program);
  return [severalNames.test(name) ? undefined : name, ...rest];
}

function programName(program: string): string {
  return program
    .replace(/^.*[/\\]/s, "")
    .replace(/\.(?:exe|cmd|bat|com|ps1)$/i, "")
    .toLowerCase();
}
