import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { runProgram } from '../support/program.ts';
import { runTable } from '../support/table-run.ts';

const mcf = '$2b$10$.AmEVFyho1YgMi9nghbF2e.r1vsKaJCNfPPvHGENaScgryhh8uyT6';
const csv = [
  'id,email,email_verified_at,first_name,last_name,encrypted_password,sign in count,plan',
  `1,ada@example.com,2026-01-01 10:00:00,Ada,Lovelace,${mcf},4,pro`,
  '2,bob@example.com,,Bob,Boole,,0,',
].join('\n');

async function draft(text: string, name = 'users.csv') {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, name), text);
  return runProgram(['map', name], { cwd });
}

describe('idport map', () => {
  it('drafts a mapping that names its guesses and what the columns look like', async () => {
    const { stdout, exitCode } = await draft(csv);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^# yaml-language-server: \$schema=.*\n# A draft\./);
    expect(stdout).toContain('# The columns of the first 2 rows of users.csv:');
    expect(stdout).toContain('#   encrypted_password: 1 of 2, bcrypt');
    expect(stdout).toContain('#   email: 2 of 2, email addresses');
    expect(stdout).toContain('  emailVerified: { present: email_verified_at } # guess');
    expect(stdout).toContain('  from: encrypted_password # guess: bcrypt');
    expect(stdout).toContain('  - "sign in count"');
  });

  it('takes the only table of a dump, and proposes a digest with its salt', async () => {
    const columns = '(`nr` int NOT NULL AUTO_INCREMENT, `mailadresse` text, `Salz` text, `hash` text)';
    const values = `(1,'ada@example.org','x1','${'9f86d081'.repeat(8)}')`;
    const { stdout } = await draft(
      `CREATE TABLE \`kunden\` ${columns};\nINSERT INTO \`kunden\` VALUES ${values};\n`,
      'dump.sql',
    );
    for (const line of [
      '  table: kunden',
      '  id: nr',
      '  #     of: sha256(salt + password)',
      '  #     key: { from: hash, encoding: hex }',
      '  #     salt: { from: Salz }',
    ])
      expect(stdout).toContain(line);
  });

  it.each([
    ['First Name,Last Name,E-mail,Enabled', ['givenName: ', 'email: E-mail']],
    ['fname,lname,user_email,is_active', ['givenName: fname', 'familyName: lname', 'email: user_email']],
    ['first,last,mail,mobile', ['givenName: first', 'familyName: last', 'email: mail', 'phone: mobile']],
    [
      'firstname,surname,email,is_enabled',
      ['givenName: firstname', 'familyName: surname', 'state: { active: '],
    ],
  ])('knows %s', async (titles, lines) => {
    const { stdout } = await draft(`${titles}\nAda,Lovelace,ada@example.com,1\n`);
    for (const line of lines) expect(stdout).toContain(line);
    expect(stdout).not.toContain('unused:');
  });

  it.each([
    [
      'Benutzername;E-Mail-Adresse;Vorname;Name;Telefon;Sprache;Aktiv',
      [
        'userName: Benutzername',
        'givenName: Vorname',
        'familyName: Name',
        'phone: Telefon',
        'language: Sprache',
      ],
    ],
    [
      'Identifiant;Adresse e-mail;Prénom;Nom;Téléphone;Langue;Actif',
      ['userName: Identifiant', 'givenName: "[\\"Prénom\\"]"', 'familyName: Nom', 'language: Langue'],
    ],
  ])('knows %s, and leaves open what ja and oui mean', async (titles, lines) => {
    const text = `${titles}\nada;ada@example.com;Ada;Lovelace;+41441234567;fr;ja\n`;
    const { stdout } = await draft(text);
    for (const line of lines) expect(stdout).toContain(line);
    expect(stdout).toMatch(
      / {2}# state: \{ inactive: \{ column: A\w+, is: \[\.\.\.\] \} \} # guess: name the values/,
    );
    expect(stdout).not.toContain('unused:');
    const { users } = await runTable({ users: text, map: stdout });
    expect(users).toMatchObject([{ user: { userName: 'ada', email: { email: 'ada@example.com' } } }]);
  });

  it('guesses nothing of a status, and finds addresses under any title', async () => {
    const { stdout } = await draft('contact,status\nada@example.com,1\n');
    expect(stdout).toContain('  email: contact # guess');
    expect(stdout).toContain('  # state: { inactive: { column: status, is: [...] } }');
  });

  it('says which columns it has not looked into', async () => {
    const { stdout } = await draft('[{"id":1,"email":"a@b.c","login":{"hash":"$2b$10$x"}}]', 'users.json');
    expect(stdout).toContain('# Not looked into: login. A place inside is written as login.key.');
  });

  it('finds the users in a dump of Laravel', async () => {
    const dump = [
      "INSERT INTO `password_reset_tokens` (`email`, `token`) VALUES ('a@example.com','t');",
      `INSERT INTO \`users\` (\`id\`, \`email\`, \`password\`) VALUES (1,'a@example.com','${mcf}');`,
    ].join('\n');
    const { stdout } = await draft(dump, 'dump.sql');
    expect(stdout).toContain('source:\n  table: users\n');
    expect(stdout).toContain('  from: password # guess: bcrypt');
  });

  it('shows no value of the file', async () => {
    const { stdout } = await draft(csv);
    expect(stdout).not.toMatch(/ada@|Lovelace|\$2b\$|\bpro\b/);
  });

  it.each([
    ['an address', `1,ada,ada@example.com,Ada,2026-01-01 10:00:00,${mcf}\n2,bob,bob@example.com,Bob,,\n`],
    [
      'a word that is a title elsewhere',
      `7,email,ada@example.com,Ada,,${mcf}\n2,bob,bob@example.com,Bob,,\n`,
    ],
    [
      'nothing but names in the first rows',
      `1,ada,,Ada,,\n${'2,bob,bob@example.com,Bob,,\n'.repeat(50)}9,ada,ada@example.com,A,,${mcf}\n`,
    ],
  ])('numbers the columns of a file without titles: %s', async (_name, text) => {
    const { stdout } = await draft(text);
    expect(stdout).toContain('titles: [c1, c2, c3, c4, c5, c6]');
    expect(stdout).toMatch(/ {2}id: c1 # guess\n {2}email: c3 # guess\n/);
    expect(stdout).toContain('  from: c6 # guess: bcrypt');
    expect(stdout).toContain('#   c2: ');
    expect(stdout).not.toMatch(/\b(?:ada|Ada|bob|Bob)\b|\$2b/);
    const result = await runTable({ users: text, map: stdout });
    expect(Object.values(result.hashes)).toContain(mcf);
  });

  it.each([
    ['windows-1252', 'Zo\xeb M\xfcller'],
    ['cp850', 'Zo\x89 M\x81ller'],
  ])('guesses that a file is %s', async (encoding, name) => {
    const cwd = createTestFolder();
    const users = Buffer.from(`id,email,name\n1,zoe@example.com,${name}\n`, 'latin1');
    writeFileSync(join(cwd, 'users.csv'), users);
    const { stdout } = await runProgram(['map', 'users.csv'], { cwd });
    expect(stdout).toContain(`  encoding: ${encoding} # guess`);
    const result = await runTable({ users, map: stdout });
    expect(result.users[0]?.user).toMatchObject({ profile: { displayName: 'Zoë Müller' } });
  });

  it('is a mapping that runs as it is', async () => {
    const { stdout } = await draft(csv);
    const result = await runTable({ users: csv, map: stdout });
    expect(result.users.map(({ user }) => user.userName)).toEqual(['ada@example.com', 'bob@example.com']);
    expect(result.hashes['ada@example.com']).toBe(mcf);
    expect(result.notices).not.toContain('map:unused-column');
  });

  it.each([
    ['a form of Django', `pbkdf2_sha256$1000$salt$${'A'.repeat(43)}=`, /pbkdf2-sha256/],
    ['what cannot be carried', `{SSHA}${'A'.repeat(38)}==`, /ldap, which cannot be carried/],
    ['digits that do not say what they are', '5f4dcc3b5aa765d61d8327deb882cf99', /32 hexadecimal digits/],
  ])('sees %s', async (_, hash, text) => {
    const { stdout } = await draft(JSON.stringify([{ id: 1, email: 'a@b.c', password: hash }]), 'users.json');
    expect(stdout).toMatch(text);
    expect(stdout).toMatch(/ {2}from: password # guess/);
  });

  describe('of a document', () => {
    const users = [
      { login: 'ada', email: 'ada@example.com', hash: mcf },
      { login: 'bob', email: 'bob@example.com' },
    ];
    const keyed = { 'ada@example.com': users[0], u2: users[1] };
    it.each([
      ['DBeaver', { 'SELECT * FROM users': users }, 'list: "SELECT * FROM users"'],
      ['an interface', { ok: 1, data: { accounts: { nodes: users } } }, 'list: "data.accounts.nodes"'],
      ['Firebase Realtime Database', { accounts: keyed, groups: { g: {} } }, 'list: accounts'],
      ['an object of users', keyed, 'format: yaml # each user stands under a key of its own: @name'],
    ])('%s: finds the users, and the draft reads them', async (_name, document, line) => {
      const text = JSON.stringify(document);
      const { stdout } = await draft(text, 'users.json');
      expect(stdout).toContain(line);
      expect(stdout).not.toContain('@example.com');
      const { users: written } = await runTable({ provider: 'json', users: text, map: stdout });
      expect(written.map(({ user }) => user.userName)).toEqual(['ada', 'bob']);
    });
  });

  it('shows no names of columns that look like values', async () => {
    const { stdout } = await draft(
      `{"u1":"x","ada@example.com":{"a":1},"${mcf}":1}\n{"u1":"y"}\n`,
      'users.jsonl',
    );
    expect(stdout).toContain('u1: 2 of 2');
    expect(stdout).not.toMatch(/example\.com|\$2b\$/);
  });

  it('quotes names of columns, whatever they hold', async () => {
    const odd = '[{"id":1,"email":"a@b.c","null":1,"a: b #c":2,"line\\nbreak":3,"it\'s \\"x\\"":4}]';
    const { stdout } = await draft(odd, 'users.json');
    const result = await runTable({ provider: 'json', users: odd, map: stdout });
    expect(result.users).toHaveLength(1);
  });

  it('finds the table of users in a dump, or takes the one that is named', async () => {
    const dump = [
      "INSERT INTO plans (id, name) VALUES (1, 'pro');",
      `INSERT INTO app.members (id, email, username, password_hash) VALUES (1, 'ada@example.com', 'ada', '${mcf}');`,
      '',
    ].join('\n');
    const { stdout } = await draft(dump, 'dump.sql');
    expect(stdout).toContain('source:\n  table: "app.members"\n');
    const result = await runTable({ provider: 'sql', users: dump, map: stdout });
    expect(result.hashes).toEqual({ ada: mcf });
    const cwd = createTestFolder();
    writeFileSync(join(cwd, 'dump.sql'), dump);
    const plans = await runProgram(['map', 'dump.sql', '--table=plans'], { cwd });
    expect(plans.stdout).toContain('#   name: 1 of 1, text');
  });

  it('a file without columns is one line', async () => {
    const ran = await draft('[]', 'users.json');
    expect(ran.exitCode).toBe(1);
    expect(ran.stdout).toBe('');
  });
});
