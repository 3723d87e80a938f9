/** A part of its own, since the bundle that keeps its compiled code may not call `import()` (`src/headless/compiled.ts`). */

export async function packagedRipgrep(): Promise<string> {
  return (await import("@vscode/ripgrep")).rgPath;
}
