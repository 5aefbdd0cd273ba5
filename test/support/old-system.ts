/** An endpoint of the operator that knows the old passwords, and a directory. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'ldapts';
import { createTestFolder } from './folder.ts';
import { answerHere } from './local-server.ts';
import { startLocalProgram } from './local-program.ts';

/** Says whether this is the password of the user. Resolves to its address. */
export async function startOldSystem(isRight: (user: string, password: string) => boolean): Promise<string> {
  const url = await answerHere(async ({ body }) => {
    const { userName, password } = JSON.parse(body);
    return [200, { result: isRight(userName, password) ? 'right' : 'wrong' }];
  });
  return `${url}/own`;
}

/** The base of the directory; its administrator is `cn=admin` there, with the password `admin`. */
const ldapBase = 'dc=example,dc=org';

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
