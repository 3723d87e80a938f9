/** Reads images of the workspace that an answer shows. What the tool `read` could not read without a question is not shown. */
import path from "node:path";
import { imageSize } from "../../base/image-size.ts";
import type { AnswerImage } from "../../chat/protocol.ts";
import { t } from "../../l10n/l10n.ts";
import { isWithin } from "../../tools/file-access/requirements.ts";
import type { Location, Workspace } from "../../tools/host.ts";
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
  if (path.isAbsolute(file) || refusalOf(file, process.platform) !== undefined) return failures.outside();
  const workspace = nodeWorkspace(folders, false, secrets);
  let failed: AnswerImage | undefined;
  for (const folder of workspace.folders) {
    const image = await inFolder(file, folder, workspace, boundary).catch(() => failures.damaged());
    if (image?.type === "shown") return image;
    failed ??= image;
  }
  return failed ?? { type: "failed", why: t("There is no such file in the workspace.") };
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
  if (!isWithin(asked, folder) || !isWithin(location.path, folder)) return failures.outside();
  const isLink = asked !== location.path;
  const why = whyProtected(location, isLink, boundary().ruledOut);
  if (why !== undefined) return { type: "failed", why: notRead(location, isLink, why) };
  const kind = await workspace.open(location, new AbortController().signal);
  switch (kind.type) {
    case "missing":
      return undefined;
    case "media":
      return shown(kind.mime, kind.bytes);
    case "too-large":
      return failures.tooLarge();
    default:
      return failures.otherKind();
  }
}

const failed = (why: string): AnswerImage => ({ type: "failed", why });
const failures = {
  outside: () => failed(t("It is outside of the workspace.|image")),
  damaged: () => failed(t("It is damaged.|image")),
  otherKind: () => failed(t("It is not an image of a kind that Rondo shows.")),
  tooLarge: () => failed(t("It is too large.|image")),
};

/** `why`: the end of the sentence in English, which names the rule if one forbids it. */
function notRead({ protection, relative }: Location, isLink: boolean, why: string): string {
  if (protection === "secret") {
    return isLink
      ? t("It is not read unasked: it is a link to {0}, which may hold secrets.", relative)
      : t("It is not read unasked: it may hold secrets.");
  }
  if (protection === "ignored") {
    return isLink
      ? t("It is not read unasked: it is a link to {0}, which is named by a .rondoignore file.", relative)
      : t("It is not read unasked: it is named by a .rondoignore file.");
  }
  return t("It is not read unasked: {0}.", why);
}

function shown(mime: string, bytes: Uint8Array): AnswerImage {
  if (!mime.startsWith("image/")) return failures.otherKind();
  if (bytes.length > maxBytes) return failures.tooLarge();
  const size = imageSize(bytes);
  if (size === undefined) return failures.damaged();
  if (size === "too-large") return failures.tooLarge();
  return { type: "shown", url: `data:${mime};base64,${Buffer.from(bytes).toString("base64")}` };
}
