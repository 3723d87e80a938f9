/** What the panel's frame is drawn from until the first snapshot. */
import { type Chat, newChat } from "../../src/chat/apply.ts";
import type { PanelState } from "../../src/chat/panel-state.ts";

export const blankChat: Chat = newChat({ id: "", createdAt: 0, title: "", cwd: "" });

export const blankState: PanelState = {
  readiness: { type: "ready" },
  mode: "default",
  modeEndsAt: undefined,
  buildMode: "default",
  bypassMinutes: 0,
  model: undefined,
  models: [],
  account: undefined,
  trusted: true,
  sandboxed: false,
  hasFolder: true,
  virtualFolders: [],
  attachments: [],
  attaching: [],
  selection: undefined,
  review: [],
  reviewBy: {},
  follow: "off",
  comments: [],
  contextUsed: undefined,
  cost: { session: 0, today: 0, partial: false, estimated: false },
  agents: [],
  commands: [],
  asking: "",
  agent: "",
  recent: [],
  worktree: undefined,
  next: { worktree: false, second: "" },
  tabs: [],
  starters: [],
  servers: [],
  restored: undefined,
};
