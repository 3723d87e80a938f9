/** The time for counting texts: one timer for all of them, which runs only while one is shown. */
import { createSubscriber } from "svelte/reactivity";

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1000);
  return () => clearInterval(timer);
});

/** Returns ms since 1970; a reactive reader reads it again every second. */
export function now(): number {
  subscribe();
  return Date.now();
}
