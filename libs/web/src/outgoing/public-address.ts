import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** What the registries of special addresses (RFC 6890) reserve for other uses than public hosts. */
const SPECIAL_IPV4: readonly [network: string, bits: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carriers, and metadata of Alibaba
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // the host of a machine of Azure
  ['169.254.0.0', 16], // link-local, and metadata of most clouds
  ['172.16.0.0', 12],
  ['192.0.0.0', 24], // and metadata of Oracle
  ['192.0.2.0', 24],
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3], // multicast, reserved, broadcast
];

/** The IPv6 that is assigned to hosts, without mapped, NAT64, unique-local, link-local and multicast addresses. */
const GLOBAL_IPV6: readonly [string, number] = ['2000::', 3];
const SPECIAL_IPV6: readonly [string, number][] = [
  ['2001::', 23], // Teredo and other protocols
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4: an IPv4 address within
  ['3fff::', 20],
];

const specialIpv4 = listOf(SPECIAL_IPV4, 'ipv4');
const globalIpv6 = listOf([GLOBAL_IPV6], 'ipv6');
const specialIpv6 = listOf(SPECIAL_IPV6, 'ipv6');

/** Whether it is the address of a host in the internet. Text that is no address is not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address);
  return isIPv6(address) && globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

function listOf(networks: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, bits] of networks) list.addSubnet(network, bits, family);
  return list;
}
