/** Text of a model is shown, but never runs, loads or navigates. */
import assert from "node:assert/strict";
import { panelBrowser } from "./browser.ts";
import * as f from "./fixtures.ts";
import { child, use } from "./loop-states.ts";
import type { PanelPage } from "./page.ts";
import { questionRequest } from "./trust-states.ts";

const hostile = [
  "<script>window.ran = 1</script>",
  '<img src=x onerror="window.ran = 2">',
  '![pixel](https://evil.invalid/pixel.png "t")',
  "![inline](data:image/svg+xml;base64,PHN2Zz4=)",
  '<svg onload="window.ran = 3"><script>window.ran = 4</script></svg>',
  "[press](javascript:window.ran=5)",
  "[press](JaVaScRiPt&#58;window.ran=6)",
  "[press](data:text/html,<script>window.ran=7</script>)",
  "[press](command:workbench.action.terminal.new)",
  "[press](vscode-webview://x/)",
  '[press](https://example.com/"onmouseover="window.ran=8")',
  "<a href=https://evil.invalid/a>raw link</a>",
  '<iframe src="https://evil.invalid/frame"></iframe>',
  '<form action="https://evil.invalid/form"><input name=a autofocus onfocus="window.ran=9"><button>go</button></form>',
  "<style>* { background: url(https://evil.invalid/css) }</style>",
  '<p style="background:url(https://evil.invalid/style)">styled</p>',
  '<link rel=stylesheet href=https://evil.invalid/link.css><meta http-equiv=refresh content="0;url=https://evil.invalid/">',
  '<base href="https://evil.invalid/"><object data=https://evil.invalid/o></object><video src=https://evil.invalid/v autoplay>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.ran=10&gt;">',
  "```html\n</code></pre><img src=x onerror=window.ran=11>\n```",
  '```"><img/src=x onerror=window.ran=12>\nx\n```',
  "`</code><img src=x onerror=window.ran=13>`",
  "| a |\n|---|\n| <img src=x onerror=window.ran=14> |",
  "- [ ] task\n- <details open ontoggle=window.ran=15>x",
  "<kbd onclick=window.ran=16>x</kbd> <br onload=window.ran=17> <sub>low</sub>",
  "[ref]: javascript:window.ran=18\n\n[ref]",
  "<javascript:window.ran=19>",
  "# <img src=x onerror=window.ran=20>",
  "<!-- comment --><textarea><img src=x onerror=window.ran=21></textarea>",
  "\u0000<scr\u0000ipt>window.ran=22</scr\u0000ipt>",
];
const text = hostile.join("\n\n");

/** All places that show text of a model, a tool or a file. */
function everywhere(): f.LoosePart[] {
  const diff = {
    path: "<img src=x onerror=window.ran=30>",
    added: 1,
    removed: 0,
    patch: `@@ -1 +1,2 @@\n ${text.split("\n").join("\n+")}`,
  };
  return [
    f.thought(text, 1),
    f.said(text),
    f.done("bash", { command: text }, { fact: "<img src=x onerror=window.ran=31>" }, text),
    f.done("edit", { file_path: diff.path }, { diff }, text),
    f.tool("<img src=x onerror=window.ran=32>", { status: "error", input: {}, error: text, start: 0, end: 1 }),
    f.done("task", { subagent_type: text, description: text }, { childID: "ses_2", fact: text }, text),
    { type: "text", text, ignored: true },
    f.tool("write", { status: "pending", input: {}, raw: JSON.stringify({ file_path: text, content: text }) }),
  ];
}

async function assertHarmless(panel: PanelPage): Promise<void> {
  await panel.page.waitForTimeout(100);
  const found = await panel.page.evaluate(() => ({
    ran: "ran" in window,
    elements: document.querySelectorAll(
      "#root :is(img, script, iframe, form, style, link, meta, base, object, embed, video, audio, math, [href], [src], [style*=url])",
    ).length,
    handlers: [...document.querySelectorAll("#root *")].flatMap((element) =>
      element.getAttributeNames().filter((name) => name.startsWith("on")),
    ),
  }));
  assert.deepEqual(found, { ran: false, elements: 0, handlers: [] });
  assert.deepEqual(panel.strays, []);
  assert.deepEqual(panel.errors, []);
  assert.equal(panel.navigations, 1);
}

describe("hostile text in the panel", () => {
  it("never runs or loads, wherever it is shown", async () => {
    const panel = await (await panelBrowser()).open();
    const error = { code: "other", message: text, next: text } as const;
    const mentions: f.LoosePart[] = [
      { type: "agent", name: text },
      { type: "subtask", agent: text, description: text, prompt: text },
      { type: "text", text, ignored: true },
    ];
    const compacted = [
      f.unsaid({ type: "compaction", auto: true }),
      f.rondo([f.said(text)], { summary: true, completedAt: 1 }),
    ];
    const chat = f.chat(text, [f.you(text), ...compacted, f.you(text, ...mentions), f.rondo(everywhere(), { error })], {
      queue: [f.waiting("q", text)],
      children: { ses_2: child("ses_2", [f.you(text), f.rondo(everywhere(), { agent: text })]) },
    });
    await panel.post(f.snapshot(chat, f.panelState({ review: f.review }), text));
    await panel.page.evaluate(() => {
      for (const summary of document.querySelectorAll<HTMLElement>("details:not([open]) > summary")) summary.click();
    });
    await assertHarmless(panel);
    const asked = f.request({ title: text, reason: text, preview: { type: "text", text } });
    await panel.post({ type: "events", events: [{ type: "asked", request: asked }] });
    await assertHarmless(panel);
    panel.close();
  });

  it("never runs or loads in lists, menus and counts", async () => {
    const panel = await (await panelBrowser()).open();
    const agents = (["primary", "primary", "all"] as const).map((mode, at) => ({
      name: `${at}${text}`,
      description: text,
      mode,
    }));
    const status = { type: "retry", attempt: 1, message: text, nextAt: f.now, since: f.now } as const;
    await panel.post(f.snapshot(f.chat(text, [f.you("x")], { status }), f.panelState({ agents, agent: text })));
    await panel.page.getByRole("textbox", { name: "Message" }).pressSequentially("@");
    await panel.page.getByRole("button", { name: /^Mode: / }).click();
    await assertHarmless(panel);
    await panel.page.keyboard.press("Escape");
    await panel.page.getByRole("button", { name: /^Context: / }).click();
    const parts = [{ name: "tools", tokens: 10, detail: text }] as const;
    await panel.post({ type: "context", use: { ...use, window: 100, limit: 80, reported: 10, parts: [...parts] } });
    await assertHarmless(panel);
    const found = f.sessions().map((session) => ({ ...session, title: text, match: text }));
    await panel.post({ type: "show-sessions" }, { type: "sessions", query: "script img (", sessions: found });
    await assertHarmless(panel);
    panel.close();
  });

  it("never runs or loads in questions, rules, servers, to-dos and the dock", async () => {
    const panel = await (await panelBrowser()).open();
    const state = { type: "waiting", prompt: text, by: "nobody" } as const;
    const background = [{ id: "bash_1", command: text, startedAt: f.now, state, lines: 3, last: text }];
    const input = { todos: [{ content: text, status: "in_progress" }] };
    const todo = f.tool("todo_write", { status: "running", input, start: 0 });
    const servers = (["asks", "failed", "ready"] as const).map((type, at) => ({
      name: `${at}${text}`,
      source: text,
      target: text,
      state:
        type === "failed"
          ? { type, message: text, next: text }
          : type === "ready"
            ? { type, tools: [{ name: text, description: text }] }
            : { type },
    }));
    const chat = f.chat(text, [f.you(text), f.rondo([todo])], { background, setAside: [f.you(text)] });
    await panel.post(f.snapshot(chat, f.panelState({ servers })));
    await panel.page.getByRole("button", { name: "Show the commands" }).click();
    await panel.page.locator(".Todo > summary").click();
    const messageID = chat.messages[0]?.info.id ?? "";
    const file = { path: text, effect: "change", added: 1, removed: 1, edited: "user", problem: text } as const;
    await panel.post({ type: "show-restore", messageID }, { type: "restore-preview", messageID, at: 1, files: [file] });
    await assertHarmless(panel);
    const rule = { permission: text, pattern: text, action: "allow" } as const;
    const row = { rule, source: "agent", agent: text, count: 1, lastAt: 1 } as const;
    const parts = [f.commandPart(text, "ask", text, text, text)];
    const judgement = { ...f.unjudged, command: text, decision: "ask", parts, always: [rule] } as const;
    await panel.post(
      { type: "show-rules" },
      { type: "rules", rules: [row] },
      { type: "explained", judgement: { ...judgement, always: [rule] } },
    );
    await panel.page.getByRole("textbox", { name: "Which rule decides?" }).fill(text);
    await assertHarmless(panel);
    await panel.page.keyboard.press("Escape");
    await panel.page.getByRole("button", { name: "Show servers" }).click();
    await assertHarmless(panel);
    const option = { label: text, description: text };
    const question = {
      question: text,
      header: text,
      options: [option, { ...option, label: "b" }],
      multiple: false,
      favorite: text,
    };
    const asked = f.request({ title: text, preview: { type: "text", text }, always: [rule] });
    await panel.post({ type: "events", events: [{ type: "asked", request: asked }] });
    await panel.page.waitForTimeout(450);
    await panel.page.getByRole("button", { name: "Always allow" }).click();
    await assertHarmless(panel);
    await panel.page.keyboard.press("e");
    const trials = [{ allows: [text], asks: [], invalid: "" }];
    await panel.post({ type: "tried", requestID: "per_1", rules: [rule], trials });
    await assertHarmless(panel);
    const choices = { ...questionRequest, questions: [question] };
    for (const request of [choices, { ...f.loopRequest, tool: text, input: text, reason: text }]) {
      await panel.post({ type: "events", events: [{ type: "answered", requestID: asked.id }] });
      await panel.post({ type: "events", events: [{ type: "asked", request }] });
      await assertHarmless(panel);
      await panel.post({ type: "events", events: [{ type: "answered", requestID: request.id }] });
    }
    panel.close();
  });

  it("never runs while it streams, byte by byte", async () => {
    const panel = await (await panelBrowser()).open();
    const reply = f.rondo([f.saying("")]);
    const part = reply.parts[0];
    assert.ok(part);
    await panel.post(f.snapshot(f.chat("x", [f.you("x"), reply], { status: { type: "busy", since: 0 } })));
    for (let at = 0; at < text.length; at += 7) {
      const delta = {
        type: "delta",
        messageID: part.messageID,
        partID: part.id,
        text: text.slice(at, at + 7),
      } as const;
      if (at % 210 === 0) await panel.post({ type: "events", events: [delta] });
      else panel.queue({ type: "events", events: [delta] });
    }
    await panel.post();
    await assertHarmless(panel);
    assert.match(await panel.page.getByRole("log").innerText(), /<iframe src="https:\/\/evil\.invalid\/frame">/);
    panel.close();
  });

  it("opens a link only through the host, and only to the web or a file", async () => {
    const panel = await (await panelBrowser()).open();
    await panel.post(
      f.snapshot(
        f.chat("x", [
          f.rondo([
            f.said(`[web](https://example.com/a) ![pic](https://example.com/p.png) [file](src/a.ts:3) ${text}`),
          ]),
        ]),
      ),
    );
    await panel.page.getByRole("link", { name: "web", exact: true }).click();
    await panel.page.getByRole("link", { name: "pic (image on example.com)", exact: true }).press("Enter");
    await panel.page.getByRole("link", { name: "file", exact: true }).click({ button: "left", modifiers: ["Control"] });
    for (const press of await panel.page.getByText("press", { exact: true }).all()) await press.click();
    const links = (await panel.sent()).filter(({ type }) => type === "open-link" || type === "open-file");
    assert.deepEqual(links.slice(0, 3), [
      { type: "open-link", url: "https://example.com/a" },
      { type: "open-link", url: "https://example.com/p.png" },
      { type: "open-file", path: "src/a.ts", line: 3 },
    ]);
    for (const link of links) assert.match(link.type === "open-link" ? link.url : "https:", /^https:/);
    await assertHarmless(panel);
    panel.close();
  });
});
