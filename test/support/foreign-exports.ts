/** Exports of providers, as small as they can be, in shapes that users have beside those of `fixtures/`. */
const appwriteUser =
  '{"$id":"1","$createdAt":"2024-01-01T00:00:00.000+00:00","name":"Ann","password":"x","hash":"argon2","hashOptions":{"type":"argon2"},"registration":"2024-01-01T00:00:00.000+00:00","status":true,"email":"ann@example.org","emailVerification":true}';
const oktaUser =
  '{"id":"00u1","status":"ACTIVE","profile":{"login":"ann@example.org","email":"ann@example.org","firstName":"Ann"},"credentials":{"provider":{"type":"OKTA"}}}';
const keycloakUser =
  '{"id":"1","username":"ann","email":"ann@example.org","emailVerified":true,"enabled":true,"credentials":[]}';
const auth0User =
  '{"user_id":"auth0|1","email":"ann@example.org","email_verified":true,"username":"ann","identities":[{"provider":"auth0","connection":"db","user_id":"1","isSocial":false}]}';
const org = '{"orgId":"1","humanUsers":[{"userId":"1","user":{"userName":"ann"}}]}';

const shapes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  appwrite: { 'a list': `[${appwriteUser}]`, lines: `${appwriteUser}\n` },
  fusionauth: {
    'a list': `[
  {
    "active": true,
    "email": "ann@example.org",
    "username": "ann",
    "encryptionScheme": "bcrypt",
    "factor": 10,
    "password": "x",
    "salt": "y",
    "verified": true
  }
]`,
    'an answer of a search':
      '{"total":1,"users":[{"active":true,"email":"ann@example.org","insertInstant":1,"tenantId":"t","username":"ann"}]}',
  },
  supabase: {
    'a list':
      '[{"instance_id":"0","id":"1","aud":"authenticated","role":"authenticated","email":"ann@example.org","encrypted_password":"$2a$10$x","raw_app_meta_data":"{}","raw_user_meta_data":"{}"}]',
    'a table':
      'instance_id,id,aud,role,email,encrypted_password,raw_app_meta_data,raw_user_meta_data\n0,1,authenticated,authenticated,a@example.org,x,{},{}\n',
    'an answer of the admin interface':
      '{"users":[{"id":"1","aud":"a","role":"a","email":"a@example.org","app_metadata":{},"user_metadata":{}}]}',
    'inserts of a database dump': 'INSERT INTO "auth"."users" ("id", "encrypted_password") VALUES (1, 2);\n',
  },
  firebase: {
    'the answer of a download':
      '{"kind":"identitytoolkit#x","users":[{"localId":"1","email":"ann@example.org","emailVerified":true,"passwordHash":"x","salt":"y","providerUserInfo":[]}]}',
    'a table without titles': `uid-1,ann@example.org,true,aGFzaA==,c2FsdA==,Ann${','.repeat(23)}\n`,
  },
  clerk: {
    'a list':
      '[{"id":"user_1","first_name":"Ann","username":"ann","primary_email_address":"ann@example.org","password_digest":"$2b$10$x","password_hasher":"bcrypt"}]',
    'a table behind a note':
      '# Passwords\nid,first_name,primary_email_address,password_digest,password_hasher\n1,,,,\n',
    'a page of the interface':
      '[{"object":"user","id":"1","username":"ann","primary_email_address_id":"e","email_addresses":[]}]',
  },
  cognito: {
    'a list':
      '[{"Username":"1","Attributes":[{"Name":"email","Value":"ann@example.org"}],"Enabled":true,"UserStatus":"CONFIRMED"}]',
    'flat lines':
      '{"userPoolId":"p","username":"ann","userStatus":"CONFIRMED","enabled":true,"attributes":{}}\n',
    'a table': 'cognito:username,name,email,email_verified\nann,Ann,ann@example.org,TRUE\n',
  },
  okta: { 'a list': `[${oktaUser}]`, lines: `${oktaUser}\n` },
  keycloak: {
    'a realm': `{"realm":"r","enabled":true,"users":[${keycloakUser}]}`,
    'a list of realms': `[{"id":"r","realm":"r","users":[${keycloakUser}]}]`,
    'a users file of a folder': `{"realm":"r","users":[${keycloakUser}]}`,
    'a list of users': `[${keycloakUser}]`,
    lines: `${keycloakUser}\n`.repeat(2),
    'a custom resource': '{"kind":"KeycloakRealmImport","spec":{"realm":{"realm":"r"}}}',
    'a custom resource as YAML': 'apiVersion: v1\nkind: KeycloakRealmImport\nspec:\n  realm:\n    realm: r\n',
  },
  auth0: {
    lines: `${auth0User}\n`.repeat(2),
    'a list': `[${auth0User}]`,
    pages: `{"start":0,"limit":1,"total":1,"users":[${auth0User}]}`,
    'a table': 'user_id,email,email_verified,username\nauth0|1,ann@example.org,true,ann\n',
    'a bulk import file': '[{"email":"ann@example.org","custom_password_hash":{}}]',
    passwords: '{"_id":{"$oid":"1"},"email":"ann@example.org","passwordHash":"x","connection":"db"}\n',
  },
  body: {
    'a body': `{"dataOrgs":{"orgs":[${org}]}}`,
    'an export of the service': `{"orgs":[${org}]}`,
  },
};

export const foreignExports = Object.entries(shapes).flatMap(([provider, texts]) =>
  Object.entries(texts).map(([shape, text]) => ({ name: `${provider}: ${shape}`, provider, text })),
);
