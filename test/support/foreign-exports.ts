/** Exports of providers, as small as they can be, in shapes that users have beside those of `fixtures/`. */
const lines = (...records: readonly object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

const appwriteUser = {
  $id: '1',
  $createdAt: '2024-01-01T00:00:00.000+00:00',
  name: 'Ann',
  password: 'x',
  hash: 'argon2',
  hashOptions: { type: 'argon2' },
  registration: '2024-01-01T00:00:00.000+00:00',
  status: true,
  email: 'ann@example.org',
  emailVerification: true,
};
const fusionauthUser = {
  active: true,
  email: 'ann@example.org',
  username: 'ann',
  encryptionScheme: 'bcrypt',
  factor: 10,
  password: 'x',
  salt: 'y',
  verified: true,
};
const supabaseUser = {
  instance_id: '0',
  id: '1',
  aud: 'authenticated',
  role: 'authenticated',
  email: 'ann@example.org',
  encrypted_password: '$2a$10$x',
  raw_app_meta_data: '{}',
  raw_user_meta_data: '{}',
};
const firebaseUser = {
  localId: '1',
  email: 'ann@example.org',
  emailVerified: true,
  passwordHash: 'x',
  salt: 'y',
  providerUserInfo: [],
};
const clerkUser = {
  id: 'user_1',
  first_name: 'Ann',
  username: 'ann',
  primary_email_address: 'ann@example.org',
  password_digest: '$2b$10$x',
  password_hasher: 'bcrypt',
};
const cognitoUser = {
  Username: '1',
  Attributes: [{ Name: 'email', Value: 'ann@example.org' }],
  Enabled: true,
  UserStatus: 'CONFIRMED',
};
const oktaUser = {
  id: '00u1',
  status: 'ACTIVE',
  profile: { login: 'ann@example.org', email: 'ann@example.org', firstName: 'Ann' },
  credentials: { provider: { type: 'OKTA' } },
};
const keycloakUser = {
  id: '1',
  username: 'ann',
  email: 'ann@example.org',
  emailVerified: true,
  enabled: true,
  credentials: [],
};
const auth0User = {
  user_id: 'auth0|1',
  email: 'ann@example.org',
  email_verified: true,
  username: 'ann',
  identities: [{ provider: 'auth0', connection: 'db', user_id: '1', isSocial: false }],
};
const human = { userId: '1', user: { userName: 'ann' } };

export interface ForeignExport {
  readonly name: string;
  /** As in the tables of providers, or `body`. */
  readonly provider: string;
  readonly text: string;
}

const shapes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  appwrite: {
    'a list': JSON.stringify([appwriteUser]),
    lines: lines(appwriteUser),
  },
  fusionauth: {
    'a list': JSON.stringify([fusionauthUser], null, 2),
    'an answer of a search': JSON.stringify({
      total: 1,
      users: [{ active: true, email: 'ann@example.org', insertInstant: 1, tenantId: 't', username: 'ann' }],
    }),
  },
  supabase: {
    'a list': JSON.stringify([supabaseUser]),
    'a table': `${Object.keys(supabaseUser).join(',')}\n0,1,authenticated,authenticated,a@example.org,x,{},{}\n`,
    'an answer of the admin interface': JSON.stringify({
      users: [{ id: '1', aud: 'a', role: 'a', email: 'a@example.org', app_metadata: {}, user_metadata: {} }],
    }),
    'inserts of a database dump': 'INSERT INTO "auth"."users" ("id", "encrypted_password") VALUES (1, 2);\n',
  },
  firebase: {
    'the answer of a download': JSON.stringify({ kind: 'identitytoolkit#x', users: [firebaseUser] }),
    'a table without titles': `uid-1,ann@example.org,true,aGFzaA==,c2FsdA==,Ann${','.repeat(23)}\n`,
  },
  clerk: {
    'a list': JSON.stringify([clerkUser]),
    'a table behind a note': `# Passwords\nid,first_name,primary_email_address,password_digest,password_hasher\n1,,,,\n`,
    'a page of the interface': JSON.stringify([
      { object: 'user', id: '1', username: 'ann', primary_email_address_id: 'e', email_addresses: [] },
    ]),
  },
  cognito: {
    'a list': JSON.stringify([cognitoUser]),
    'flat lines': lines({
      userPoolId: 'p',
      username: 'ann',
      userStatus: 'CONFIRMED',
      enabled: true,
      attributes: {},
    }),
    'a table': 'cognito:username,name,email,email_verified\nann,Ann,ann@example.org,TRUE\n',
  },
  okta: { 'a list': JSON.stringify([oktaUser]), lines: lines(oktaUser) },
  keycloak: {
    'a realm': JSON.stringify({ realm: 'r', enabled: true, users: [keycloakUser] }),
    'a list of realms': JSON.stringify([{ id: 'r', realm: 'r', users: [keycloakUser] }]),
    'a users file of a folder': JSON.stringify({ realm: 'r', users: [keycloakUser] }),
    'a list of users': JSON.stringify([keycloakUser]),
    lines: lines(keycloakUser, keycloakUser),
    'a custom resource': JSON.stringify({ kind: 'KeycloakRealmImport', spec: { realm: { realm: 'r' } } }),
    'a custom resource as YAML': 'apiVersion: v1\nkind: KeycloakRealmImport\nspec:\n  realm:\n    realm: r\n',
  },
  auth0: {
    lines: lines(auth0User, auth0User),
    'a list': JSON.stringify([auth0User]),
    pages: JSON.stringify({ start: 0, limit: 1, total: 1, users: [auth0User] }),
    'a table': 'user_id,email,email_verified,username\nauth0|1,ann@example.org,true,ann\n',
    'a bulk import file': JSON.stringify([{ email: 'ann@example.org', custom_password_hash: {} }]),
    passwords: lines({ _id: { $oid: '1' }, email: 'ann@example.org', passwordHash: 'x', connection: 'db' }),
  },
  body: {
    'a body': JSON.stringify({ dataOrgs: { orgs: [{ orgId: '1', humanUsers: [human] }] } }),
    'an export of the service': JSON.stringify({ orgs: [{ orgId: '1', humanUsers: [human] }] }),
  },
};

export const foreignExports: readonly ForeignExport[] = Object.entries(shapes).flatMap(([provider, texts]) =>
  Object.entries(texts).map(([shape, text]) => ({ name: `${provider}: ${shape}`, provider, text })),
);
