/** Checks a password with a bind at a directory: OpenLDAP, 389 DS, FreeIPA, Active Directory. */
import type { Client } from 'ldapts';
import { z } from 'zod';
import { importOptional } from '../../../lib/optional-package.ts';
import { AttemptError, VerifierError } from '../verifier.ts';
import { nameForms, nameOf, verifierKind, someText } from './kind.ts';

const settings = z
  .strictObject({
    url: z.string().regex(/^ldaps?:\/\//, 'an address that begins with ldap:// or ldaps://'),
    startTls: z.boolean().default(false),
    /** DN to bind with. `{user}` stands for the user: uid={user},ou=users,dc=example,dc=org. */
    dn: z.string().includes('{user}').optional(),
    /** Without `dn`, the entry is searched first. */
    search: z
      .strictObject({
        base: someText,
        attribute: z
          .string()
          .regex(/^[a-zA-Z][a-zA-Z0-9-]*$/)
          .default('uid'),
        bindDn: z.string().default(''),
        bindPassword: z.string().default(''),
      })
      .optional(),
    user: nameForms,
  })
  .refine(({ dn, search }) => (dn === undefined) !== (search === undefined), 'give either dn or search');

export const ldap = verifierKind(settings, async (config) => {
  const ldapts = await importOptional('ldapts@8', 'directories', () => import('ldapts'));
  return {
    async check(attempt, signal) {
      const name = nameOf(attempt, config.user);
      // A directory accepts a bind without a password as anonymous.
      if (name === '' || attempt.password === '') return 'unknown';
      const client = new ldapts.Client({ url: config.url, connectTimeout: 5000, timeout: 10_000 });
      const stop = () => void client.unbind().catch(() => undefined);
      signal.addEventListener('abort', stop, { once: true });
      try {
        if (config.startTls) await client.startTLS({});
        const dn =
          config.dn === undefined ? await find(client, ldapts, config.search!, name) : fill(config.dn, name);
        if (dn === undefined) return 'unknown';
        await client.bind(dn, attempt.password);
        return 'right';
      } catch (error) {
        if (error instanceof ldapts.InvalidCredentialsError)
          return adExpired.test(error.message) ? 'expired' : 'wrong';
        if (error instanceof ldapts.NoSuchObjectError) return 'unknown';
        // The directory answered, so it works.
        throw error instanceof ldapts.ResultCodeError ? new AttemptError(error.name) : error;
      } finally {
        signal.removeEventListener('abort', stop);
        await client.unbind().catch(() => undefined);
      }
    },
    close: async () => {},
  };
});

/** Active Directory says that a password has expired or must be changed only if it is right. */
const adExpired = /\bdata (?:532|773)\b/;

type Search = NonNullable<z.output<typeof settings>['search']>;

async function find(
  client: Client,
  { EqualityFilter }: typeof import('ldapts'),
  search: Search,
  name: string,
) {
  try {
    await client.bind(search.bindDn, search.bindPassword);
  } catch {
    throw new VerifierError('the bind before the search was refused');
  }
  const filter = new EqualityFilter({ attribute: search.attribute, value: name });
  const { searchEntries } = await client.search(search.base, { filter, attributes: ['dn'], sizeLimit: 2 });
  const [entry, other] = searchEntries;
  if (other !== undefined) throw new AttemptError('the search found more than one entry');
  return entry?.dn;
}

/** Escapes special characters (RFC 4514). `nameOf` returns no names with leading or trailing spaces. */
function fill(dn: string, user: string) {
  const escaped = user.replaceAll(/^#|[,+"\\<>;=]/g, String.raw`\$&`).replaceAll('\0', String.raw`\00`);
  return dn.replaceAll('{user}', () => escaped);
}
