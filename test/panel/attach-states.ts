/** States of the chips above the message. */
import type { Page } from "playwright-core";
import type { Attachment } from "../../src/chat/prompt-input.ts";
import * as f from "./fixtures.ts";
import { png } from "./image-files.ts";
import type { State } from "./states.ts";

const text = (filename: string): Attachment => ({
  mime: "text/plain",
  filename,
  url: "data:text/plain;base64,eA==",
});
const lines = (filename: string, start: number, end: number): Attachment => ({
  ...{ mime: "text/plain", filename, url: `file:///shop/${filename}` },
  source: { start, end, text: "" },
});
const whole = (filename: string): Attachment => ({
  ...{ mime: "text/plain", filename, url: `file:///shop/${filename}` },
  source: { start: 1, end: 90, text: "", whole: true },
});
const picture = (name: string): Attachment => ({
  ...{ mime: "image/png", filename: name },
  url: `data:image/png;base64,${png(name, 56, 44).data}`,
});

const refused = (name: string, why: string, next = ""): State["messages"][number] => ({
  ...{ type: "refused-file", name, why, next },
});

const selection = {
  ...{ filename: "src/cart.ts", uri: "file:///shop/src/cart.ts", start: 12, end: 18, on: true, why: "" },
};

const attached: Attachment[] = [
  lines("src/discount.ts", 30, 41),
  whole("src/cart.ts"),
  text("Problem in test/cart.test.ts:58"),
  text("src/fixtures/carts/"),
  text("Pasted text, 120 lines"),
  text("packages/a-folder-with-a-long-name/a-file-with-a-very-long-name-indeed.test.ts"),
  picture("before.png"),
  picture("after.png"),
];

const composing = (change: Parameters<typeof f.panelState>[0], act?: (page: Page) => Promise<void>): State => ({
  messages: [f.snapshot(f.chat("Fix the rounding in cart totals", [f.asked, f.rondo(f.work)]), f.panelState(change))],
  ...(act && { act }),
});

export const attachStates: Record<string, State> = {
  attached: composing({ attachments: attached, attaching: ["docs.example.com"], selection }),
  "attached-trouble": {
    messages: [
      ...composing({
        attachments: [picture("screen.png")],
        selection: { ...selection, filename: ".env", why: "it may hold secrets" },
        model: f.qwen,
      }).messages,
      refused("packages/a-folder-with-a-long-name/recording-of-the-whole-day.mov", "it is neither text nor an image"),
      refused("dump.sql", "it is larger than 50 MB", "Name it in the message: Rondo can search it and read parts."),
    ],
  },
  "selection-off": composing({ selection: { ...selection, on: false } }),
  dragged: composing({}, (page) =>
    page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData("text/uri-list", "file:///a");
      document.body.dispatchEvent(new DragEvent("dragenter", { bubbles: true, cancelable: true, dataTransfer }));
    }),
  ),
};
