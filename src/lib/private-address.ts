/** Addresses of private networks and of this machine. */
import { BlockList, isIP } from 'node:net';

/** The service's default list of addresses at which it refuses targets (`Executions.DenyList` in its `defaults.yaml`). */
const privateRanges: readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'][] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['::1', 128, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
];

const ranges = new BlockList();
for (const [network, prefix, family] of privateRanges) ranges.addSubnet(network, prefix, family);

/** Reports whether an address is private. An IPv4 address written as IPv6 (`::ffff:10.0.0.1`) counts as IPv4. */
export function isPrivateAddress(address: string) {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return ranges.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** Reports whether a host name or an address reaches only this machine. */
export function isLoopback(host: string) {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    /^\[?::1\]?$/.test(host) ||
    /^127(?:\.\d{1,3}){3}$/.test(host)
  );
}
