/** One endpoint that answers as OIDC, Cognito, Firebase and an endpoint of the operator do, and a directory. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from 'ldapts';
import { onTestFinished } from 'vitest';
import { createTestFolder } from './folder.ts';
import { startLocalProgram } from './local-program.ts';

type Answer = readonly [status: number, json: unknown];
/** Whether this is the password of the user, who is named with or without the domain of the email. */
type IsRight = (user: string, password: string) => boolean;

const byPath: Readonly<Record<string, (body: string, isRight: IsRight) => Answer>> = {
  '/token': (body, isRight) => {
    const form = new URLSearchParams(body);
    const right = isRight(form.get('username') ?? '', form.get('password') ?? '');
    return right ? [200, { access_token: 'a.b.c' }] : [400, { error: 'invalid_grant' }];
  },
  '/cognito': (body, isRight) => {
    const { USERNAME, PASSWORD } = JSON.parse(body).AuthParameters;
    if (isRight(USERNAME, PASSWORD)) return [200, { AuthenticationResult: { AccessToken: 'a.b.c' } }];
    return [400, { __type: 'NotAuthorizedException', message: 'Incorrect username or password.' }];
  },
  '/accounts:signInWithPassword': (body, isRight) => {
    const { email, password } = JSON.parse(body);
    if (isRight(email, password)) return [200, { localId: '1' }];
    return [400, { error: { message: 'INVALID_LOGIN_CREDENTIALS' } }];
  },
  '/own': (body, isRight) => {
    const { userName, password } = JSON.parse(body);
    return [200, { result: isRight(userName, password) ? 'right' : 'wrong' }];
  },
};

/** Resolves to its address, without a slash at the end. */
export async function startOldSystem(isRight: IsRight): Promise<string> {
  const server = createServer((request, response) => {
    const blocks: Buffer[] = [];
    request.on('data', (block: Buffer) => blocks.push(block));
    request.on('end', () => {
      const answer = byPath[(request.url ?? '').split('?')[0] ?? ''];
      const [status, json] = answer?.(Buffer.concat(blocks).toString(), isRight) ?? [404, {}];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The base of the directory; its administrator is `cn=admin` there, with the password `admin`. */
export const ldapBase = 'dc=example,dc=org';

/** A real slapd with these users; resolves to its address. */
export async function startSlapd(users: Readonly<Record<string, string>>): Promise<string> {
  const folder = createTestFolder();
  mkdirSync(join(folder, 'data'));
  const file = join(folder, 'slapd.conf');
  writeFileSync(
    file,
    [
      'include /etc/ldap/schema/core.schema',
      'include /etc/ldap/schema/cosine.schema',
      'include /etc/ldap/schema/inetorgperson.schema',
      'modulepath /usr/lib/ldap',
      'moduleload back_mdb',
      'database mdb',
      `suffix "${ldapBase}"`,
      `rootdn "cn=admin,${ldapBase}"`,
      'rootpw admin',
      `directory ${join(folder, 'data')}`,
      'dbnosync',
      '',
    ].join('\n'),
  );
  const args = (port: number): string[] => ['-d', '256', '-h', `ldap://127.0.0.1:${port}`, '-f', file];
  const { port } = await startLocalProgram('slapd', args, /slapd starting/);
  const url = `ldap://127.0.0.1:${port}`;
  const client = await connectTo(url);
  await client.add(ldapBase, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'x' });
  for (const [uid, userPassword] of Object.entries(users)) {
    await client.add(`uid=${uid},${ldapBase}`, {
      objectClass: ['inetOrgPerson'],
      uid,
      cn: uid,
      sn: 'A',
      userPassword,
    });
  }
  await client.unbind();
  return url;
}

/** slapd says that it starts before it listens: asked until it answers; the test's own time limit bounds it. */
async function connectTo(url: string): Promise<Client> {
  for (;;) {
    const client = new Client({ url });
    try {
      await client.bind(`cn=admin,${ldapBase}`, 'admin');
      return client;
    } catch (error) {
      if (!String(error).includes('ECONNREFUSED')) throw error;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}
