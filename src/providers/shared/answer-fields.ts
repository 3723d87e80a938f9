/** Reads fields of untrusted answers: one that is missing or of another type is not there. */

type AnswerFields = Record<string, unknown>;

const isFields = (value: unknown): value is AnswerFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const fields = (value: unknown): AnswerFields => (isFields(value) ? value : {});
export const list = (value: unknown): AnswerFields[] => (Array.isArray(value) ? value.filter(isFields) : []);
/** A positive finite number. */
export const size = (value: unknown) =>
  typeof value === "number" && value > 0 && Number.isFinite(value) ? value : undefined;
export const flag = (value: unknown) => (typeof value === "boolean" ? value : undefined);
/** A text that is not empty. */
export const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
/** Whether a name can be shown: not long, and without characters that are invisible or change the direction. */
export const isShowable = (name: string) => name.length <= 300 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name);
