/** Records of long sessions in the storage of a real VS Code. */
import { mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { Sessions } from "../src/record/sessions.ts";
import { type Length, longChat } from "./panel/long-session.ts";
import { until } from "./timing.ts";

/** Adds a session to the only workspace of a VS Code whose panel is shown. `dataDir`: its settings, storage and logs. */
export async function addLongSession(dataDir: string, title: string, length: Length): Promise<void> {
  const workspaces = path.join(dataDir, "data/User/globalStorage/rondo.rondo/workspaces");
  const names = () => readdir(workspaces).catch(() => []);
  await until(async () => (await names()).length > 0);
  const [only = "", ...others] = await names();
  if (others.length > 0) throw new Error(`${others.length + 1} workspaces have sessions`);
  const folder = path.join(workspaces, only, "sessions");
  await mkdir(folder, { recursive: true });
  const chat = longChat(length);
  new Sessions(folder).add({ ...chat, session: { ...chat.session, id: `ses_${title}`, title } });
}
