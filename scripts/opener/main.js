const vscode = require("vscode");

/** Rondo itself never opens unasked: a fresh window, whose side bar shows nothing yet, is shown it here. */
exports.activate = () => vscode.commands.executeCommand("rondo.chat.focus");
