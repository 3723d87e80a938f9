/** For `--require`: writes to standard error which files and which modules of Node the program has loaded, as JSON. */
process.on("exit", () => {
  const files = Object.keys(require.cache).filter((file) => file !== __filename);
  // @ts-expect-error: Node's types do not have it.
  const builtIn = process.moduleLoadList;
  process.stderr.write(JSON.stringify({ files, builtIn }));
});
