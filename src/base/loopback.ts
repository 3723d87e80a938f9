/** Whether a host name, as `URL` gives it, is this machine: no key is needed there, and no proxy is used. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
