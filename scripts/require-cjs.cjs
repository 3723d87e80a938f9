/** Lets `require` find `.cjs` files without their ending: the mutation runner asks for the files of mocha 12 that way. */
require.extensions[".cjs"] = require.extensions[".js"];
