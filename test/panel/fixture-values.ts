/** What the fixtures of chats and of requests have in common. */

export const cwd = "/home/dev/tinyshop";
export const sessionID = "ses_1";

export const patch = `@@ -11,8 +11,6 @@
 export function total(
   items: Item[], discount = 0): number {
-  let sum = 0;
-  for (const item of items) {
-    sum += round(item.cents * item.quantity
-      * (1 - discount));
-  }
+  const gross = items.reduce((sum, item) =>
+    sum + item.cents * item.quantity, 0);
-  return sum;
+  return Math.round(gross * (1 - discount));
 }
`;
export const cartDiff = { path: `${cwd}/src/cart.ts`, added: 3, removed: 6, patch };
