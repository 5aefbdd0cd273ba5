/** Decides whether a target may have a host: private and loopback addresses are refused by default. */
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { isPrivateAddress } from '../../lib/private-address.ts';

/** A name counts as its addresses, which `resolve` finds; what cannot be resolved is refused as well. */
export async function isDeniedHost(host: string, resolve: Resolve = resolveAll): Promise<boolean> {
  const name = host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (name.toLowerCase() === 'localhost') return true;
  if (isIP(name) !== 0) return isPrivateAddress(name);
  try {
    const addresses = await resolve(name);
    return addresses.length === 0 || addresses.some(isPrivateAddress);
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
    if (first === undefined || addresses.some(({ address }) => isPrivateAddress(address))) {
      done(new Error(`host ${host} is denied`), []);
      return;
    }
    if (options.all === true) done(null, addresses);
    else done(null, first.address, first.family);
  });
}
