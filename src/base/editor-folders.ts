/** Editors that are VS Code or made from it, and where they and Rondo keep their settings and state. Its texts are for programs. Pure. */

/** The folder with their settings, extensions' state and caches. */
export const editorNames: readonly string[] = [
  ...["Code", "Code - Insiders", "Code - Exploration", "Code - OSS", "code-oss-dev", "VSCodium", "VSCodium - Insiders"],
  ...["Cursor", "Windsurf", "Windsurf - Next", "Kiro", "Trae", "Antigravity", "Positron", "Void"],
];

/** Below the home folder: the state of editors, also on remote machines, and Rondo's own. */
export const stateFolders: readonly string[] = [
  ...editorNames.flatMap((name) => [
    `.config/${name}`,
    `Library/Application Support/${name}`,
    `AppData/Roaming/${name}`,
  ]),
  ...[".vscode", ".vscode-insiders", ".vscode-exploration", ".vscode-oss", ".vscode-oss-dev", ".vscode-remote"],
  ...[".vscode-server", ".vscode-server-insiders", ".vscode-server-exploration", ".vscode-server-oss", ".vscode-cli"],
  ...[".vscodium", ".vscodium-insiders", ".vscodium-server", ".vscodium-server-insiders", ".cursor", ".cursor-server"],
  ...[".windsurf", ".windsurf-next", ".windsurf-server", ".windsurf-next-server", ".kiro", ".kiro-server", ".trae"],
  ...[".trae-server", ".antigravity", ".antigravity-server", ".positron", ".positron-server", ".void-editor"],
  ...[".openvscode-server", ".local/share/code-server", ".config/code-server", ".local/share/openvscode-server"],
  ...[".local/state/rondo", "Library/Application Support/rondo", "AppData/Local/rondo", ".rondo"],
];
