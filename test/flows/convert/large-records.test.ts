import { expect, it } from 'vitest';
import { convertFiles } from '../../support/conversion.ts';

/** 18 MB of attributes, more than is read of a record. */
const many = `{${Array.from({ length: 800_000 }, (_, number) => `"attribute ${number}":["v"]`).join(',')}}`;

const keycloak = (name: string, attributes = '{}') =>
  `{"id":"id-${name}","username":"${name}","email":"${name}@example.org","firstName":"A","lastName":"B",` +
  `"enabled":true,"credentials":[],"attributes":${attributes}}`;
const auth0 = (name: string, metadata = '{}') =>
  `{"user_id":"auth0|${name}","email":"${name}@example.org","given_name":"A","family_name":"B","user_metadata":${metadata}}`;
const row = (name: string, more = '{}') =>
  `{"id":"id-${name}","login":"${name}","email":"${name}@example.org","first":"A","last":"B","more":${more}}`;
const user = (name: string, more = '{}') =>
  `{"userId":"id-${name}","user":{"userName":"${name}","profile":{"firstName":"A","lastName":"B"},` +
  `"email":{"email":"${name}@example.org","isEmailVerified":true},"more":${more}}}`;

const list = (make: (name: string, more?: string) => string) => [make('ada'), make('big', many), make('cem')];
const mapping =
  'idport: 1\nuser: { id: id, userName: login, email: email, givenName: first, familyName: last }\nunused: [more]\n';

const keycloakFlags = ['migrate', 'keycloak', '--org=1', '--threads=1', '--realm=in.json'];
const auth0Flags = ['migrate', 'auth0', '--org=1', '--threads=1', '--users=in.json'];
const jsonFlags = ['migrate', 'json', '--org=1', '--threads=1', '--map=map.yaml', '--users=in.json'];

it.each([
  ['a realm of Keycloak', `{"realm":"r","users":[${list(keycloak).join(',')}]}`, keycloakFlags],
  ['a list of realms', `[{"realm":"r","users":[${list(keycloak).join(',')}]}]`, keycloakFlags],
  ['a list of users of Keycloak', `[${list(keycloak).join(',')}]`, keycloakFlags],
  ['users of Keycloak one a line', list(keycloak).join('\n'), keycloakFlags],
  ['users of Auth0 one a line', list(auth0).join('\n'), auth0Flags],
  ['a list of users of Auth0', `[${list(auth0).join(',')}]`, auth0Flags],
  ['pages of Auth0', `{"users":[${list(auth0).join(',')}],"total":3}`, auth0Flags],
  ['mapped JSON', `{"users":[${list(row).join(',')}]}`, jsonFlags],
  ['mapped lines', list(row).join('\n'), jsonFlags],
  [
    'an import body',
    `{"dataOrgs":{"orgs":[{"orgId":"1","humanUsers":[${list(user).join(',')}]}]}}`,
    ['check', 'in.json', '--threads=1'],
  ],
])('a record above the value limit is rejected alone and named: %s', async (_, text, argv) => {
  const { exitCode, events, problem, users } = await convertFiles(argv, {
    'in.json': text,
    'map.yaml': mapping,
  });
  expect(problem).toBeUndefined();
  const rejected = events.filter(({ type }) => type === 'record:rejected');
  expect(rejected).toMatchObject([{ code: 'record:too-large', detail: /byte \d+: \d+ bytes/ }]);
  expect(JSON.stringify(rejected)).toMatch('big');
  if (argv[0] === 'check') return;
  expect([exitCode, users.length]).toEqual([3, 2]);
});
