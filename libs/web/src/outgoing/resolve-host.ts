import { Resolver } from 'node:dns/promises';

export type ResolveHost = (name: string) => Promise<readonly string[]>;

const LOCAL_NAME = /(^|\.)localhost\.?$/;
const LOOPBACK = ['127.0.0.1', '::1'] as const;

/** Whether it always is a name of this host (RFC 6761, section 6.3). */
export function isLocalName(name: string): boolean {
  return LOCAL_NAME.test(name);
}

/**
 * Queries DNS. The function of the operating system would occupy one of the few threads of the process until a slow
 * server responds.
 */
export function nameServers(): ResolveHost {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async (name) => {
    if (isLocalName(name)) return LOOPBACK;
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const [first] = answers;
    if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
    return addresses;
  };
}
