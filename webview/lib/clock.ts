/** The time that counting texts show: one timer for all of them, running only while one is on the screen. */
import { createSubscriber } from "svelte/reactivity";

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1000);
  return () => clearInterval(timer);
});

/** Ms since 1970; where it is read reactively, it is read again each second. */
export function now(): number {
  subscribe();
  return Date.now();
}
