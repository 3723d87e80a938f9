// @ts-nocheck: Node has no types for its list of modules.
/** For `--require`: writes to standard error which files and which modules of Node the program has loaded, as JSON. */
process.on("exit", () => {
  const files = Object.keys(require.cache).filter((file) => file !== __filename);
  process.stderr.write(JSON.stringify({ files, builtIn: process.moduleLoadList }));
});
