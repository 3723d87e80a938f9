/** Tokens of the user's Microsoft account, for servers that take them instead of a key. */

import * as vscode from "vscode";
import { t } from "../../l10n/l10n.ts";
import { ModelError } from "../../loop/model.ts";
import type { ApiKey } from "../../providers/shared/connection.ts";

/**
 * Returns what gets a token with each request; VS Code renews it. The first time it asks the user to sign in, so a request
 * must follow from an action of the user. `AZURE_TENANT_ID` names another tenant than the account's own, in the form that
 * VS Code's Microsoft provider knows (microsoft/vscode extensions/microsoft-authentication).
 */
export function microsoftToken(scope: string): ApiKey {
  return async () => {
    const tenant = process.env["AZURE_TENANT_ID"];
    const scopes = [scope, ...(tenant ? [`VSCODE_TENANT:${tenant}`] : [])];
    try {
      const session = await vscode.authentication.getSession("microsoft", scopes, { createIfNone: true });
      return session.accessToken;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const next = t("Sign in when VS Code asks, or set a key with “Rondo: Set API Key…”.");
      throw new ModelError("auth", t("You are not signed in with a Microsoft account: {0}", why), next, { cause });
    }
  };
}
