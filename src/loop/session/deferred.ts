/** Replaces `Promise.withResolvers`, which Node 20 lacks. */
export function deferred<T>(): PromiseWithResolvers<T> {
  let functions: Omit<PromiseWithResolvers<T>, "promise"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    functions = { resolve, reject };
  });
  return { promise, resolve: (value) => functions?.resolve(value), reject: (error) => functions?.reject(error) };
}
