/** "@": what is found in the workspace becomes a chip, and is sent. */
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Frame } from "playwright-core";
import { enter, message, said } from "../panel-actions.ts";
import { sharedWindow, type Window } from "../window.ts";

describe("mentions", () => {
  let window: Window;
  let panel: Frame;
  beforeEach(async () => {
    window = await sharedWindow();
    panel = await window.newSession();
    await message(panel).fill("");
  });
  after(async () => {
    await rm(path.join(window.folder, "shop"), { recursive: true, force: true });
  });

  const list = () => panel.getByRole("listbox", { name: "Mentions" });
  const option = (name: RegExp) => list().getByRole("option", { name }).first();
  const chosen = (name: RegExp) => list().getByRole("option", { name, selected: true });
  const chip = (name: string) =>
    panel.getByRole("group", { name: "Attached" }).getByRole("button", { name: `Show ${name}` });
  const type = (text: string) => message(panel).pressSequentially(text);

  async function put(file: string, text: string): Promise<void> {
    const place = path.join(window.folder, "shop", file);
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, text);
  }

  /** Sends the message and returns what the model was sent. */
  async function sent(): Promise<string> {
    window.plays([{ text: "It is read." }]);
    await enter(panel);
    await said(panel, "It is read.");
    return window.requests.at(-1)?.raw ?? "";
  }

  it("V14 finds a file by some of its letters, attaches it, and sends its text", async () => {
    await put("model/CustomerArticle.ts", "export const article = 'a spoon';\n");
    await type("What is @custart");
    await chosen(/CustomerArticle\.ts/).waitFor();
    await enter(panel);
    await chip("shop/model/CustomerArticle.ts").waitFor();
    assert.equal(await message(panel).inputValue(), "What is ");
    assert.match(await sent(), /shop\/model\/CustomerArticle\.ts, lines 1–1:[^"]*a spoon/);
  });

  it("V14 takes lines of a file, and looks into a folder with Tab", async () => {
    await put("lines.txt", "one\ntwo\nthree\nfour\n");
    await type("@shop/lin");
    await option(/lines\.txt/).waitFor();
    await type("#2-3");
    await chosen(/lines\.txt:2–3/).waitFor();
    await enter(panel);
    await chip("shop/lines.txt:2–3").waitFor();
    assert.match(await sent(), /two\\nthree/);
    await type("@sho");
    await option(/^shop/).waitFor();
    while (!/^shop/.test((await list().getByRole("option", { selected: true }).innerText()).trim())) {
      await message(panel).press("ArrowDown");
    }
    await message(panel).press("Tab");
    assert.equal(await message(panel).inputValue(), "@shop/");
    await option(/lines\.txt/).waitFor();
    await option(/model/).waitFor();
  });

  it("V14 attaches the names of a folder's files", async () => {
    await put("fixtures/carts/one.json", "1");
    await put("fixtures/carts/two.json", "2");
    await type("@folder:cart");
    await chosen(/carts/).waitFor();
    await enter(panel);
    await chip("shop/fixtures/carts/").waitFor();
    assert.match(await sent(), /shop\/fixtures\/carts\/ has 2 files:\\nshop\/fixtures\/carts\/one\.json/);
  });

  it("V14 a protected file is not attached, with the reason", async () => {
    await put(".env", "TOKEN=hush-hush\n");
    await type("@shop/.env");
    await chosen(/\.env/).waitFor();
    await enter(panel);
    await panel.getByText(/shop\/\.env is not attached/).waitFor();
    await type("hello");
    assert.doesNotMatch(await sent(), /hush-hush/);
  });

  it("V14 says where it has not looked, and looks there when it is asked to", async () => {
    await put(".gitignore", "made/\n");
    await put("made/bundle-of-all.js", "ignored();\n");
    await type("@bundle-of-all");
    await panel.getByText("Nothing is called “bundle-of-all”.").waitFor();
    await panel.getByRole("button", { name: "Search them too" }).click();
    await chosen(/bundle-of-all\.js/).waitFor();
    await enter(panel);
    await chip("shop/made/bundle-of-all.js").waitFor();
    assert.match(await sent(), /ignored\(\);/);
  });

  it("V14 attaches another session", async () => {
    window.plays([{ text: "Forty-two spoons." }]);
    await type("How many spoons are there?");
    await enter(panel);
    await said(panel, "Forty-two spoons.");
    await window.newSession();
    await type("@session:spoon");
    await chosen(/spoon/).waitFor();
    await enter(panel);
    await panel
      .getByRole("group", { name: "Attached" })
      .getByRole("button", { name: /^Show Session / })
      .waitFor();
    assert.match(await sent(), /Forty-two spoons\./);
  });

  it("a place that the answer names from a folder further down opens the one file that is meant", async () => {
    await put("model/CustomerArticle.ts", "export const article = 'a spoon';\n");
    window.plays([{ text: "It is in CustomerArticle.ts:1, to be exact." }]);
    await type("Where is it?");
    await enter(panel);
    await panel.getByRole("link", { name: "CustomerArticle.ts:1" }).click();
    await window.page.locator(".tab.active", { hasText: "CustomerArticle.ts" }).waitFor();
    await window.command("View: Close All Editors");
  });

  it("V14 answers from 50,000 files, and from what was written since it was opened last", async () => {
    const folders = Array.from({ length: 100 }, (_, at) => path.join(window.folder, "shop", "many", `part${at}`));
    for (const [at, folder] of folders.entries()) {
      await mkdir(folder, { recursive: true });
      await Promise.all(
        Array.from({ length: 500 }, (_, file) => writeFile(path.join(folder, `item${at * 500 + file}.txt`), "")),
      );
    }
    await type("@item49999");
    await chosen(/item49999\.txt/).waitFor();
    await enter(panel);
    await chip("shop/many/part99/item49999.txt").waitFor();
    assert.match(await sent(), /shop\/many\/part99\/item49999\.txt/);
  });
});
