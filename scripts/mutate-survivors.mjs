/** A reporter for scripts/mutate.mjs: prints each change that no test notices at once, not after hours. */
import path from "node:path";

class SurvivorReporter {
  /** @param {{fileName: string, location: {start: {line: number, column: number}}, mutatorName: string, replacement?: string, status: string}} result */
  onMutantTested({ fileName, location, mutatorName, replacement = "", status }) {
    if (status !== "Survived" && status !== "NoCoverage") return;
    const { line, column } = location.start;
    console.log(
      `${path.relative("", fileName)}:${line}:${column + 1} ${mutatorName}: ${replacement.replaceAll(/\s+/g, " ").slice(0, 120)}`,
    );
  }
}

export const strykerPlugins = [{ kind: "Reporter", name: "survivors", injectableClass: SurvivorReporter }];
