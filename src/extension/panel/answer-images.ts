/** Reads images of the workspace that an answer shows. What the tool `read` could not read without a question is not shown. */
import path from "node:path";
import { imageSize } from "../../chat/image-size.ts";
import type { AnswerImage } from "../../chat/protocol.ts";
import { isWithin } from "../../tools/file-access/requirements.ts";
import type { Workspace } from "../../tools/host.ts";
import { type ReadBoundary, whyProtected } from "../../tools/node-host/config-files.ts";
import { refusalOf } from "../../tools/node-host/locate.ts";
import { nodeWorkspace } from "../../tools/node-host/workspace.ts";

const maxBytes = 2 << 20;

type Boundary = () => Pick<ReadBoundary, "ruledOut">;

/** Never rejects. `file`: relative to one of the folders; the first folder that has it counts. */
export async function readAnswerImage(
  file: string,
  folders: readonly string[],
  secrets: readonly string[],
  boundary: Boundary,
): Promise<AnswerImage> {
  if (path.isAbsolute(file) || refusalOf(file, process.platform) !== undefined) return outside;
  const workspace = nodeWorkspace(folders, false, secrets);
  let failed: AnswerImage | undefined;
  for (const folder of workspace.folders) {
    const image = await inFolder(file, folder, workspace, boundary).catch(() => damaged);
    if (image?.type === "shown") return image;
    failed ??= image;
  }
  return failed ?? { type: "failed", why: "There is no such file in the workspace." };
}

/** Returns undefined where there is no such file. `folder`: with its links resolved. */
async function inFolder(
  file: string,
  folder: string,
  workspace: Workspace,
  boundary: Boundary,
): Promise<AnswerImage | undefined> {
  const asked = path.resolve(folder, file);
  const location = await workspace.locate(asked);
  if (!isWithin(asked, folder) || !isWithin(location.path, folder)) return outside;
  const why = whyProtected(location, asked !== location.path, boundary().ruledOut);
  if (why !== undefined) return { type: "failed", why: `It is not read unasked: ${why}.` };
  const kind = await workspace.open(location, new AbortController().signal);
  switch (kind.type) {
    case "missing":
      return undefined;
    case "media":
      return shown(kind.mime, kind.bytes);
    case "too-large":
      return tooLarge;
    default:
      return otherKind;
  }
}

const outside = { type: "failed", why: "It is outside of the workspace." } as const;
const damaged = { type: "failed", why: "It is damaged." } as const;
const otherKind = { type: "failed", why: "It is not an image of a kind that Rondo shows." } as const;
const tooLarge = { type: "failed", why: "It is too large." } as const;

function shown(mime: string, bytes: Uint8Array): AnswerImage {
  if (!mime.startsWith("image/")) return otherKind;
  if (bytes.length > maxBytes) return tooLarge;
  const size = imageSize(bytes);
  if (size === undefined) return damaged;
  if (size === "too-large") return tooLarge;
  return { type: "shown", url: `data:${mime};base64,${Buffer.from(bytes).toString("base64")}` };
}
