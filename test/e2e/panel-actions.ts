/** Actions of a user in the panel; elements are found by role and name. */
import assert from "node:assert/strict";
import type { Frame, Locator } from "playwright-core";

export function message(panel: Frame): Locator {
  return panel.getByRole("textbox", { name: "Message" });
}

/** Waits until the composer holds this text. */
export async function composed(panel: Frame, text: string): Promise<void> {
  const field = await message(panel).elementHandle();
  await panel.waitForFunction(([field, text]) => field instanceof HTMLTextAreaElement && field.value === text, [
    field,
    text,
  ] as const);
}

/** Types a message and sends it. */
export async function say(panel: Frame, text: string): Promise<void> {
  await message(panel).fill(text);
  await enter(panel);
}

/**
 * Presses Enter in the message box, and again if neither the text has changed nor the panel has the focus: VS Code gives an
 * editor that was opened before the focus late on a busy machine.
 */
export async function enter(panel: Frame): Promise<void> {
  const field = await message(panel).elementHandle();
  assert.ok(field, "there is a message box");
  const before = await field.inputValue();
  for (let isTaken = false; !isTaken; ) {
    await field.press("Enter");
    // The page may be gone with what Enter does.
    isTaken = await field
      .evaluate(
        (box, text) => document.hasFocus() || !(box instanceof HTMLTextAreaElement) || box.value !== text,
        before,
      )
      .catch(() => true);
  }
}

export function press(panel: Frame, name: string): Promise<void> {
  return panel.getByRole("button", { name, exact: true }).click();
}

/** Picks a row of what the button "Mode: …" or "Model: …" opens, and waits until it is chosen. */
export async function choose(panel: Frame, menu: "Mode" | "Model", name: string): Promise<void> {
  await panel.getByRole("button", { name: new RegExp(`^${menu}: `) }).click();
  if (menu === "Model") await panel.getByRole("combobox", { name: "Search models" }).fill(name);
  const role = menu === "Model" ? "option" : "menuitemradio";
  await panel.getByRole(role, { name: new RegExp(`^${name}`) }).click();
  await panel.getByRole("button", { name: `${menu}: ${name}` }).waitFor();
}

/** Picks an agent that is not the usual one in the menu of modes, and waits until it is chosen. */
export async function chooseAgent(panel: Frame, name: string): Promise<void> {
  await panel.getByRole("button", { name: /^Mode: / }).click();
  await panel.getByRole("menuitemradio", { name: new RegExp(`^${name}`) }).click();
  await panel.getByRole("button", { name: new RegExp(`^Mode: .*, agent ${name}$`) }).waitFor();
}

/** Returns the open question once it takes presses; it ignores those of its first moment. */
export async function question(panel: Frame, name?: RegExp): Promise<Locator> {
  const card = panel.getByRole("alertdialog", name && { name });
  await card.waitFor();
  await card.locator("button[aria-disabled=false]", { hasText: /Deny|Stop|Let Rondo decide|Keep planning/ }).waitFor();
  return card;
}

/** Answers the open question and waits until it is gone. */
export async function answer(panel: Frame, button: "Allow once" | "Continue" | "Deny", name?: RegExp): Promise<void> {
  const card = await question(panel, name);
  const id = await card.getAttribute("aria-labelledby");
  await card.getByRole("button", { name: button }).click();
  await panel.locator(`[role=alertdialog][aria-labelledby="${id}"]`).waitFor({ state: "detached" });
}

/** Waits until the status line shows these words. */
export async function status(panel: Frame, words: RegExp): Promise<void> {
  await panel.getByRole("status").filter({ hasText: words }).first().waitFor();
}

/** Waits until the conversation has a paragraph or line with these words. */
export async function said(panel: Frame, words: string): Promise<void> {
  await log(panel).getByText(words).first().waitFor();
}

/** Returns the visible text of the conversation. */
export async function transcript(panel: Frame): Promise<string> {
  return await log(panel).innerText();
}

function log(panel: Frame): Locator {
  return panel.getByRole("log", { name: "Conversation" });
}

/** Opens a session of the list by its title. */
export async function openSession(panel: Frame, title: string): Promise<void> {
  await press(panel, "Sessions");
  await panel.getByRole("region", { name: "Sessions" }).getByRole("button", { name: title }).first().click();
  await panel.getByRole("heading", { name: title, exact: true }).waitFor();
}

/** Returns the bar of changes to review, if it shows this count: "2 changes". */
export function changes(panel: Frame, count: string): Locator {
  return panel.getByRole("region", { name: "Changes to review" }).filter({ hasText: count });
}
