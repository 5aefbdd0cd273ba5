/** Reads a directory over LDAP: a search in pages, each search over a connection of its own. Referrals are not followed. */
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { Entry } from 'ldapts';
import { InputError, UsageError } from '../../errors.ts';
import type { Directory, DirectoryEntry } from '../../lib/live-system.ts';
import { isLoopback } from '../../lib/private-address.ts';
import { importOptional } from '../../lib/optional-package.ts';
import { type Login, readAddress } from './address.ts';
import { connectTimeout, createGuard, longestSilence } from './guard.ts';

const rules = {
  flag: 'directory',
  example: 'ldaps://ldap.example.org/dc=example,dc=org',
  ports: { 'ldap:': 389, 'ldaps:': 636 },
};

const pageSize = 100;
/** Limit of a page. An incomplete page is copied with each block that arrives. */
const maxBytes = 8 * 1024 * 1024;
/** A directory that does not end is an error. */
const maxEntries = 50_000_000;
/** Empty pages in a row. Active Directory sends some after looking at many entries that do not match. */
const maxEmptyPages = 1000;

/** `address` is an LDAP URL (RFC 4516): `ldaps://host/base??sub?(filter)`. Throws `UsageError`. */
export async function openDirectory(login: Login, bindDn: string | undefined): Promise<Directory> {
  const { url, host, password, signal } = readAddress(login, rules);
  const base = decodeURIComponent(url.pathname.slice(1));
  const [, , asked = '', condition = ''] = url.search.split('?');
  const filter = decodeURIComponent(condition) || '(objectClass=*)';
  const scope = (asked || 'sub') as 'sub';
  if (base === '') throw new UsageError('--directory names no base', `For example ${rules.example}.`);
  if (bindDn !== undefined && password === '') {
    throw new UsageError(
      '--bind-dn without a password',
      'Pass --bind-password-file=<file>, or set IDPORT_BIND_PASSWORD.',
    );
  }
  const ldapts = await importOptional('ldapts@8', 'directories', () => import('ldapts'));
  async function* read(attributes: readonly string[]) {
    const guard = createGuard(host, signal, maxBytes);
    const sockets: Duplex[] = [];
    const watch = <Socket extends Duplex>(socket: Socket) => {
      sockets.push(socket);
      return guard.watch(socket);
    };
    const client = new ldapts.Client({
      url: `${url.protocol}//${url.host}`,
      connectTimeout,
      timeout: longestSilence,
      createConnection: ((...to: Parameters<typeof connectTcp>) =>
        watch(connectTcp(...to))) as typeof connectTcp,
      createSecureConnection: ((...to: Parameters<typeof connectTls>) =>
        watch(connectTls(...to))) as typeof connectTls,
    });
    // Without this, the client would wait for the end of data that is not LDAP.
    const { messageParser } = client as unknown as { readonly messageParser: EventEmitter };
    messageParser.on('error', (error) => {
      guard.failure ??= error;
      for (const socket of sockets) socket.destroy();
    });
    // The client would take a page without entries for the last one, even if its cookie means that more follow.
    messageParser.prependListener('message', (message: object) => {
      if (message instanceof ldapts.SearchResponse)
        message.searchReferences.push(new ldapts.SearchReference({ messageId: message.messageId }));
    });
    const names = [...attributes];
    const options = {
      filter,
      scope,
      attributes: names,
      explicitBufferAttributes: names,
      paged: { pageSize },
    } as const;
    let entries = 0;
    let emptyPages = 0;
    try {
      // Hashes and the password must not go over an unencrypted connection.
      if (url.protocol === 'ldap:' && !isLoopback(url.hostname))
        await client.startTLS({ host: url.hostname });
      await client.bind(bindDn ?? '', password);
      for await (const page of client.searchPaginated(base, options)) {
        guard.arrived = 0;
        entries += page.searchEntries.length;
        emptyPages = page.searchEntries.length === 0 ? emptyPages + 1 : 0;
        if (entries > maxEntries || emptyPages > maxEmptyPages)
          throw new InputError('input:live', host, 'the entries do not end');
        yield page.searchEntries.map(toEntry);
      }
    } catch (error) {
      throw guard.problem(error);
    } finally {
      await client.unbind().catch(() => undefined);
    }
  }
  return { host, read };
}

function toEntry({ dn, ...attributes }: Entry): DirectoryEntry {
  const list = Object.entries(attributes).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, Buffer.from(value as Buffer)] as const),
  );
  return { dn, attributes: list };
}
