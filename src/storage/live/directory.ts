/** A directory to read over LDAP: a search in pages. Referrals are not followed. */
import type { Socket } from 'node:net';
import type { Entry } from 'ldapts';
import { InputError, UsageError } from '../../errors.ts';
import type { Directory, DirectoryEntry } from '../../lib/directory.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { importOptional } from '../../lib/optional-package.ts';
import { readAddress } from './address.ts';
import { connectTimeout, liveProblem, longestSilence, mostBytes, tooLarge } from './guard.ts';

const rules = {
  flag: '--directory',
  example: 'ldaps://ldap.example.org/dc=example,dc=org',
  ports: { 'ldap:': 389, 'ldaps:': 636 },
};

const pageSize = 500;
/** A directory that never ends is none. */
const mostEntries = 50_000_000;

export interface DirectoryLogin {
  readonly bindDn: string | undefined;
  readonly password: string | undefined;
}

/** The address is an LDAP URL (RFC 4516): `ldaps://host/base??sub?(filter)`. Throws `UsageError`, `InputError`. */
export async function openDirectory(
  text: string,
  { bindDn, password }: DirectoryLogin,
): Promise<Directory & { close(): Promise<void> }> {
  const { url, place } = readAddress(text, password, rules);
  const base = decodeURIComponent(url.pathname.slice(1));
  const filter = decodeURIComponent(url.search.split('?')[3] ?? '') || '(objectClass=*)';
  if (base === '')
    throw new UsageError('--directory names no base', { hint: `For example ${rules.example}.` });
  if (bindDn !== undefined && (password ?? '') === '') {
    throw new UsageError('--bind-dn without a password', {
      hint: 'Give --bind-password-file <file>, or the variable IDPORT_BIND_PASSWORD.',
    });
  }
  const ldapts = await importOptional('ldapts@8', 'directories', () => import('ldapts'));
  const client = new ldapts.Client({
    url: `${url.protocol}//${url.host}`,
    connectTimeout,
    timeout: longestSilence,
  });
  let failure: unknown;
  let arrived = 0;
  const problem = (error: unknown): InputError => liveProblem(place, failure ?? error);
  try {
    // Hashes and the password go through no open line.
    if (url.protocol === 'ldap:' && !isLoopback(url.hostname)) await client.startTLS({});
    await client.bind(bindDn ?? '', password ?? '');
    const { socket } = client as unknown as { readonly socket: Socket };
    socket.on('data', (block: Buffer) => {
      arrived += block.length;
      if (arrived <= mostBytes) return;
      failure ??= tooLarge(place);
      socket.destroy();
    });
  } catch (error) {
    await client.unbind().catch(() => undefined);
    throw problem(error);
  }
  async function* read(attributes: readonly string[]): AsyncGenerator<readonly DirectoryEntry[]> {
    const names = [...attributes];
    let entries = 0;
    try {
      const options = { filter, scope: 'sub', attributes: names, explicitBufferAttributes: names } as const;
      for await (const page of client.searchPaginated(base, { ...options, paged: { pageSize } })) {
        arrived = 0;
        entries += page.searchEntries.length;
        if (entries > mostEntries) throw new InputError('input:live', place, 'the entries do not end');
        yield page.searchEntries.map(toEntry);
      }
    } catch (error) {
      throw problem(error);
    }
  }
  return { place, read, close: () => client.unbind().catch(() => undefined) };
}

function toEntry({ dn, ...attributes }: Entry): DirectoryEntry {
  const list = Object.entries(attributes).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, Buffer.from(value as Buffer)] as const),
  );
  return { dn, attributes: list };
}
