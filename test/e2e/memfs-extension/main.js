/** An extension that brings a folder with one file, which is on no disk: memfs:/elsewhere/same.txt. */
const vscode = require("vscode");

const texts = new Map([["/elsewhere/same.txt", Buffer.from("one\ntwo\nthree\n")]]);
const changed = new vscode.EventEmitter();

/** @type {import("vscode").FileSystemProvider} */
const files = {
  onDidChangeFile: changed.event,
  watch: () => new vscode.Disposable(() => {}),
  stat(uri) {
    const bytes = texts.get(uri.path);
    const isFolder = [...texts.keys()].some((name) => name.startsWith(`${uri.path}/`));
    if (!bytes && !isFolder) throw vscode.FileSystemError.FileNotFound(uri);
    const type = bytes ? vscode.FileType.File : vscode.FileType.Directory;
    return { type, ctime: 0, mtime: 0, size: bytes?.length ?? 0 };
  },
  readDirectory: () => [["same.txt", vscode.FileType.File]],
  readFile(uri) {
    const bytes = texts.get(uri.path);
    if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  },
  writeFile: (uri, bytes) => void texts.set(uri.path, Buffer.from(bytes)),
  createDirectory() {},
  delete: (uri) => void texts.delete(uri.path),
  rename() {},
};

exports.activate = (/** @type {import("vscode").ExtensionContext} */ context) => {
  context.subscriptions.push(vscode.workspace.registerFileSystemProvider("memfs", files));
};
