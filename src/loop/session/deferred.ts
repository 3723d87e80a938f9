/** A promise that others resolve or reject. Replaces `Promise.withResolvers`, which Node 20 lacks. */
export interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function deferred<T>(): Deferred<T> {
  let functions: Pick<Deferred<T>, "resolve" | "reject"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    functions = { resolve, reject };
  });
  return { promise, resolve: (value) => functions?.resolve(value), reject: (error) => functions?.reject(error) };
}
