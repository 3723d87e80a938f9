import type { NoticeFix } from "../chat/host-notice.ts";

/** Something that the user has asked for and that cannot be done, in sentences for people. `next`: empty for none. */
export class NoticeError extends Error {
  override readonly name = "NoticeError";
  readonly next: string;
  readonly fix: NoticeFix;

  constructor(message: string, next = "", fix: NoticeFix = "none") {
    super(message);
    this.next = next;
    this.fix = fix;
  }
}
