/** A bind at a directory: OpenLDAP, 389 DS, FreeIPA, Active Directory. */
import type { Client } from 'ldapts';
import { z } from 'zod';
import { importOptional } from '../../../lib/optional-package.ts';
import { AttemptError, VerifierError } from '../verifier.ts';
import { nameForms, nameOf, verifierKind, someText } from './kind.ts';

const settings = z
  .strictObject({
    url: z.string().regex(/^ldaps?:\/\//, 'an address that begins with ldap:// or ldaps://'),
    startTls: z.boolean().default(false),
    /** The name to bind with, with {user} for the user: uid={user},ou=users,dc=example,dc=org. */
    dn: z.string().includes('{user}').optional(),
    /** Else the entry is searched first. */
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
      // A directory takes a bind without a password as an anonymous one, and says yes.
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
        // The directory answers, so it is there.
        throw error instanceof ldapts.ResultCodeError ? new AttemptError(error.name) : error;
      } finally {
        signal.removeEventListener('abort', stop);
        await client.unbind().catch(() => undefined);
      }
    },
    close: async () => {},
  };
});

/** Active Directory looks at the password first, and says then that it is too old or has to be changed. */
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

/** RFC 4514: what has a meaning in a name is escaped. `nameOf` gives none with a blank at its edges. */
function fill(dn: string, user: string) {
  const escaped = user.replaceAll(/^#|[,+"\\<>;=]/g, String.raw`\$&`).replaceAll('\0', String.raw`\00`);
  return dn.replaceAll('{user}', () => escaped);
}
