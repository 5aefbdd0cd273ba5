/** Decides whether a target may stand at a host: private and loopback addresses are refused by default. */
import { lookup as systemLookup } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { BlockList, isIP } from 'node:net';

/** The service's own default list (`Executions.DenyList` in its `defaults.yaml`). */
const deniedRanges: readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'][] = [
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

const denied = new BlockList();
for (const [network, prefix, family] of deniedRanges) denied.addSubnet(network, prefix, family);

/** True for an address of the list; an IPv4 address written as IPv6 (`::ffff:10.0.0.1`) counts as what it is. */
export function isDeniedAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return denied.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** A name counts as its addresses, which `resolve` finds; what cannot be resolved is refused as well. */
export async function isDeniedHost(host: string, resolve: Resolve = resolveAll): Promise<boolean> {
  const name = host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (name.toLowerCase() === 'localhost') return true;
  if (isIP(name) !== 0) return isDeniedAddress(name);
  try {
    const addresses = await resolve(name);
    return addresses.length === 0 || addresses.some(isDeniedAddress);
  } catch {
    return true;
  }
}

export type Resolve = (host: string) => Promise<readonly string[]>;

function resolveAll(host: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses.map(({ address }) => address));
    });
  });
}

type LookupResult = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** For `net.connect`: as the system's lookup, but an address of the list is an error at the moment of dialling. */
export function lookupAllowed(host: string, options: LookupOptions, done: LookupResult): void {
  systemLookup(host, { ...options, all: true }, (error, addresses) => {
    if (error) {
      done(error, []);
      return;
    }
    const first = addresses[0];
    if (first === undefined || addresses.some(({ address }) => isDeniedAddress(address))) {
      done(new Error(`host ${host} is denied`), []);
      return;
    }
    if (options.all === true) done(null, addresses);
    else done(null, first.address, first.family);
  });
}
