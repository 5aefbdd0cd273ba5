/** Whether a host name or an address is that of this machine only. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    /^\[?::1\]?$/.test(host) ||
    /^127(?:\.\d{1,3}){3}$/.test(host)
  );
}
