/**
 * The failed tests of the newest run. `vscode.tests.testResults` is a proposal; but VS Code has a tool for language
 * models that tells them, and any extension may call it (`vscode.lm.invokeTool`). It runs nothing and asks nothing
 * (vs/workbench/contrib/testing/common/testingChatAgentTool.ts).
 */
import * as vscode from "vscode";
import { outputOfTool } from "../host/vscode-tools.ts";

const toolName = "testFailure";

export interface FailedTests {
  count: number;
  /** Names, messages, values and stacks. */
  text: string;
}

/** Returns undefined where VS Code has no such tool. */
export async function failedTests(): Promise<FailedTests | undefined> {
  if (!vscode.lm.tools.some(({ name }) => name === toolName)) return undefined;
  const text = await outputOfTool(toolName);
  // Without failures it is a sentence, or what the run has printed.
  return { count: text.match(/^<testFailure name=/gm)?.length ?? 0, text };
}
