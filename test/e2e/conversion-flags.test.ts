/**
 * What the flags of a conversion make of a user is the same in `import-users` and in `verify`, and without the flag
 * `verify` finds the difference: neither passes over a flag.
 */
import { expect, it } from 'vitest';
import { openDesk, succeeded } from '../support/desk.ts';

const email = { email: 'ann@example.org', emailVerified: true };
const ann = { id: 'a', username: 'ann', firstName: 'Ann', lastName: 'Lee', enabled: true, ...email };
const password = { type: 'password', value: 'in-plain-text' };
const keycloak = (more: object) =>
  ['--from=keycloak --realm=export.json', { realm: 'r', users: [{ ...ann, ...more }] }] as const;
const auth0 = (more: object) => {
  const user = { user_id: 'auth0|a', username: 'ann', given_name: 'Ann', family_name: 'Lee' };
  const source = '--from=auth0 --users=export.json --passwords=passwords.json';
  return [source, [{ ...user, ...email, ...more }]] as const;
};

/** Without a password the service drops that an email is verified. */
const passwordHash = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

it.each([
  ['--name-fallback=dash', keycloak({ lastName: '' })],
  ['--email-fallback=placeholder --email-domain=none.example', keycloak({ email: undefined })],
  ['--email-verified', keycloak({ emailVerified: false, credentials: [password] })],
  ['--default-region=CH', keycloak({ attributes: { phoneNumber: ['044 668 18 00'] } })],
  ['--disabled=active', keycloak({ enabled: false })],
  ['--metadata=attributes', keycloak({ attributes: { team: ['blue'] } })],
  ['--plain-passwords=skip', keycloak({ credentials: [password] })],
  ['--email-verified', auth0({ email_verified: false })],
  ['--name-fallback=username', auth0({ given_name: undefined, family_name: undefined, name: 'Ann Lee' })],
])('import-users and verify apply %s alike', async (flags, [source, content]) => {
  const desk = await openDesk();
  desk.write('export.json', content);
  desk.write('passwords.json', { _id: { $oid: 'a' }, email: email.email, passwordHash });
  const from = `${source} --org=${desk.server.orgId}`;
  await succeeded(desk.run(`import-users ${from} --max-emails=unlimited --max-sms=unlimited ${flags}`));
  const verified = await desk.run(`verify ${from} --all ${flags}`);
  expect([verified.problem, verified.stdout]).toEqual([undefined, /^= [^\n]+\n$/]);
  expect((await desk.run(`verify ${from}`)).stdout).toMatch(/^[*+-] /);
});
