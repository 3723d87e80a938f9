/**
 * Tests of VS Code's Testing view, in words. What a test run printed is not in the stable API; its messages are.
 * Its texts are for the model.
 */
import * as vscode from "vscode";

/** A test, and one of its messages if the menu of a message was used. */
export interface ChosenTest {
  test: vscode.TestItem;
  message: vscode.TestMessage | undefined;
}

/** Reads the argument of a command in a menu of the Testing view: a test, or a message with its test. */
export function chosenTest(argument: unknown): ChosenTest | undefined {
  if (isTest(argument)) return { test: argument, message: undefined };
  if (typeof argument !== "object" || argument === null || !("test" in argument) || !isTest(argument.test)) {
    return undefined;
  }
  const { test } = argument;
  return { test, message: "message" in argument && isMessage(argument.message) ? argument.message : undefined };
}

/** Items of other extensions' controllers are no instances of a class that VS Code exports. */
function isTest(value: unknown): value is vscode.TestItem {
  return typeof value === "object" && value !== null && "id" in value && "label" in value && "children" in value;
}

function isMessage(value: unknown): value is vscode.TestMessage {
  return typeof value === "object" && value !== null && "message" in value;
}

/** Returns "suite › test". */
export function testName({ label, parent }: vscode.TestItem): string {
  return parent ? `${testName(parent)} › ${label}` : label;
}

export function describeTest({ test, message }: ChosenTest): string {
  const place = message?.location ?? (test.uri && { uri: test.uri, range: test.range });
  const words = message ? inWords(message.message) : test.error && inWords(test.error);
  const sections = [
    `Test: ${testName(test)}`,
    place && `At: ${placeOf(place.uri, place.range?.start)}`,
    words && `Message:\n${words}`,
    message?.expectedOutput !== undefined && `Expected:\n${message.expectedOutput}`,
    message?.actualOutput !== undefined && `Actual:\n${message.actualOutput}`,
    message?.stackTrace?.length && `Stack:\n${message.stackTrace.map(frameOf).join("\n")}`,
  ];
  return sections.filter(Boolean).join("\n");
}

const inWords = (text: string | vscode.MarkdownString): string => (typeof text === "string" ? text : text.value);

function frameOf({ label, uri, position }: vscode.TestMessageStackFrame): string {
  return uri ? `${label} (${placeOf(uri, position)})` : label;
}

function placeOf(uri: vscode.Uri, position: vscode.Position | undefined): string {
  return vscode.workspace.asRelativePath(uri) + (position ? `:${position.line + 1}` : "");
}
