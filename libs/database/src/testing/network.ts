import { spawnSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { NOBODY } from './postgres-server.js';

/** Networks that are only for documentation (RFC 5737). Some machines have an address in one of them. */
const NETWORKS = ['192.0.2', '198.51.100', '203.0.113'];
const OWN = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
const FREE = NETWORKS.find((network) => !OWN.some(({ address }) => address.startsWith(`${network}.`)));
/** Other runs of the suites have other addresses. */
const FIRST = (process.pid % 64) * 4;
const [HERE, THERE] = [`${FREE}.${FIRST + 1}`, `${FREE}.${FIRST + 2}`];

/** A network with another host, which can vanish without a word. */
export class Network {
  readonly address = THERE;
  readonly prefix: readonly string[];

  private constructor(private readonly name: string) {
    const user = ['setpriv', `--reuid=${NOBODY.uid}`, `--regid=${NOBODY.gid}`, '--clear-groups'];
    this.prefix = ['ip', 'netns', 'exec', name, ...user];
  }

  /** Null where this process must not make one. */
  static make(): Network | null {
    if (process.getuid?.() !== 0 || FREE === undefined) return null;
    const name = `vanish${process.pid}`;
    const network = new Network(name);
    const isMade = [
      `ip netns add ${name}`,
      `ip link add ${name} type veth peer name eth0 netns ${name}`,
      `ip addr add ${HERE}/30 dev ${name}`,
      `ip link set ${name} up`,
      `ip -n ${name} addr add ${THERE}/30 dev eth0`,
      `ip -n ${name} link set eth0 up`,
      `ip netns exec ${name} iptables -L`,
    ].every(succeeds);
    if (isMade) return network;
    network.remove();
    return null;
  }

  /** From now on nothing arrives at the other host, and nothing comes from it. */
  vanish(): void {
    for (const chain of ['INPUT', 'OUTPUT']) succeeds(`${this.within} iptables -A ${chain} -j DROP`);
  }

  /** How many connections the host has from here. */
  get connectionCount(): number {
    const { stdout } = spawnSync('sh', ['-c', `${this.within} ss -Htn state established dst ${HERE}`]);
    return String(stdout).split('\n').length - 1;
  }

  remove(): void {
    succeeds(`ip netns del ${this.name}`);
    succeeds(`ip link del ${this.name}`);
  }

  private get within(): string {
    return `ip netns exec ${this.name}`;
  }
}

function succeeds(command: string): boolean {
  return spawnSync('sh', ['-c', command]).status === 0;
}
