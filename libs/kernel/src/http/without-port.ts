/** An IPv6 address in brackets, or an IPv4 address with a port. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|((?:::ffff:)?[\d.]+):\d{1,5})$/i;

/** An address without the port that some proxies and balancers append to it in X-Forwarded-For. */
export function withoutPort(address: string): string {
  const [, bracketed, plain] = WITH_PORT.exec(address) ?? [];
  return bracketed ?? plain ?? address;
}
