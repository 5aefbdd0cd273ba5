/** What clients of a realm become. */
import { describe, expect, it } from 'vitest';
import { readApp } from '../../../src/sources/keycloak/clients.ts';

const read = (client: object) => readApp({ clientId: 'shop', ...client }, 'harbour');
const settingsOf = (client: object) => {
  const { app } = read(client);
  return app?.type === 'oidc' ? app.settings : {};
};
const publicApp = (redirectUris: readonly string[], more: object = {}) => ({
  publicClient: true,
  redirectUris,
  ...more,
});

it.each([
  ['the code flow', {}, ['AUTHORIZATION_CODE', 'REFRESH_TOKEN'], ['CODE']],
  ['no refresh tokens', { attributes: { 'use.refresh.tokens': 'false' } }, ['AUTHORIZATION_CODE'], ['CODE']],
  [
    'the implicit flow',
    { standardFlowEnabled: false, implicitFlowEnabled: true },
    ['IMPLICIT'],
    ['ID_TOKEN_TOKEN'],
  ],
  [
    'devices',
    { standardFlowEnabled: false, attributes: { 'oauth2.device.authorization.grant.enabled': 'true' } },
    ['DEVICE_CODE', 'REFRESH_TOKEN'],
    ['CODE'],
  ],
])('readApp maps grant and response types of %s', (_, client, grants, responses) => {
  const { grantTypes, responseTypes } = settingsOf({ redirectUris: ['https://a.example/'], ...client });
  expect(grantTypes).toEqual(grants.map((grant) => `OIDC_GRANT_TYPE_${grant}`));
  expect(responseTypes).toEqual(responses.map((response) => `OIDC_RESPONSE_TYPE_${response}`));
});

describe('readApp maps the type and the authentication', () => {
  it.each([
    ['a confidential client', { redirectUris: ['https://a.example/'] }, 'WEB', 'BASIC'],
    [
      'a signed JWT',
      { redirectUris: ['https://a.example/'], clientAuthenticatorType: 'client-jwt' },
      'WEB',
      'PRIVATE_KEY_JWT',
    ],
    ['a public client', publicApp(['https://a.example/']), 'USER_AGENT', 'NONE'],
    ['a scheme of its own', publicApp(['com.example.app:/back']), 'NATIVE', 'NONE'],
    ['the own machine', publicApp(['http://127.0.0.1:8123/']), 'NATIVE', 'NONE'],
    [
      'the own machine, in a browser',
      publicApp(['http://localhost:3000/'], { webOrigins: ['+'] }),
      'USER_AGENT',
      'NONE',
    ],
  ])('of %s', (_, client, type, method) => {
    expect(settingsOf(client)).toMatchObject({
      appType: `OIDC_APP_TYPE_${type}`,
      authMethodType: `OIDC_AUTH_METHOD_TYPE_${method}`,
    });
  });

  it.each([
    [true, 'a public client', publicApp(['http://a.example/'])],
    [true, 'a name that only begins like the own machine', publicApp(['http://127.a.example/'])],
    [true, 'the implicit flow', { redirectUris: ['http://a.example/'], implicitFlowEnabled: true }],
    [false, 'the code flow of a web application', { redirectUris: ['http://a.example/'] }],
    [false, 'a browser application with https', publicApp(['https://a.example/'])],
    [false, 'an installed application on its own machine', publicApp(['http://127.0.0.1:8123/'])],
  ])('readApp sets dev mode for http to %s for %s', (isOn, _, client) => {
    expect(settingsOf(client).devMode).toBe(isOn);
    expect(read(client).lost.join().includes('dev mode is on')).toBe(isOn);
  });

  it('readApp treats names of object methods as unknown values', () => {
    const { app, lost } = read({
      redirectUris: ['https://a.example/'],
      clientAuthenticatorType: 'constructor',
    });
    expect(app?.settings.authMethodType).toBe('OIDC_AUTH_METHOD_TYPE_BASIC');
    expect(lost).toContain('authentication by constructor (a client secret is issued)');
    expect(read({ protocol: 'toString' }).lost).toEqual(['the import takes no TOSTRING applications']);
  });
});

describe('redirect URIs of readApp', () => {
  const client = {
    rootUrl: 'https://a.example/',
    redirectUris: ['/back', 'https://b.example/*', '*', 'not a url', 'com.example:/back'],
    attributes: { 'post.logout.redirect.uris': '+##https://a.example/bye##https://a.example/*' },
  };

  it('are resolved, and unusable ones are named', () => {
    expect(settingsOf(client)).toMatchObject({
      redirectUris: ['https://a.example/back'],
      postLogoutRedirectUris: ['https://a.example/back', 'https://a.example/bye'],
    });
    const lost = read(client).lost.join('; ');
    for (const uri of ['redirect URI https://b.example/* (a wildcard)', 'redirect URI * (a wildcard)']) {
      expect(lost).toContain(uri);
    }
    expect(lost).toContain('not a url (no URL)');
    expect(lost).toContain('com.example:/back (a scheme of its own, and the client is confidential)');
    expect(lost).toContain('post-logout redirect URI https://a.example/* (a wildcard)');
  });

  it.each([
    ['javascript:alert(1)', 'a scheme for content'],
    ['DATA:text/html,x', 'a scheme for content'],
    ['https://a.example/\u0001', 'no URL'],
    ['https://a\n.example/', 'no URL'],
    ['https://a.example/\ud800', 'no URL'],
    ['', 'no URL'],
    ['/back', 'relative, and the client has no root URL'],
  ])('never include %j for login or logout', (uri, why) => {
    const attributes = { 'post.logout.redirect.uris': `https://a.example/##${uri}` };
    const hostile = publicApp(['https://a.example/', uri], { attributes });
    expect(settingsOf(hostile)).toMatchObject({
      appType: 'OIDC_APP_TYPE_USER_AGENT',
      redirectUris: ['https://a.example/'],
      postLogoutRedirectUris: ['https://a.example/'],
    });
    expect(read(hostile).lost.join()).toContain(why);
  });

  it('are trimmed and written once', () => {
    const redirectUris = [' https://a.example/ ', 'https://a.example/', '/', 'https://A.example/'];
    const { redirectUris: taken } = settingsOf(publicApp(redirectUris, { rootUrl: 'https://a.example' }));
    expect(taken).toEqual(['https://a.example/', 'https://A.example/']);
  });

  it.each([
    ['of a client without the attribute', undefined, ['https://a.example/']],
    ['of a client that has it empty', '', ['https://a.example/']],
    ['that are turned off', '-', []],
  ])('after logout: %s', (_, uris, expected) => {
    const attributes = uris === undefined ? {} : { 'post.logout.redirect.uris': uris };
    const { postLogoutRedirectUris } = settingsOf({ redirectUris: ['https://a.example/'], attributes });
    expect(postLogoutRedirectUris).toEqual(expected);
  });

  it('are reported as missing if none is left', () => {
    expect(read({ redirectUris: ['*'] }).lost).toContain('no redirect URI is left: add one');
  });
});

it.each([
  ['bearer only', { bearerOnly: true }],
  ['a service account', { serviceAccountsEnabled: true, standardFlowEnabled: true }],
])('readApp makes an API application of %s', (_, client) => {
  expect(read(client).app).toEqual({
    type: 'api',
    settings: { authMethodType: 'API_AUTH_METHOD_TYPE_BASIC' },
  });
});

it.each([
  ['SAML', { protocol: 'saml' }, 'the import takes no SAML applications'],
  ['disabled', { enabled: false }, 'it is disabled, and an application would be active'],
  ['password grant', { standardFlowEnabled: false, directAccessGrantsEnabled: true }, 'password grant only'],
  ['no client id', { clientId: '' }, 'it has no client id'],
  ['a client id of nothing that can be stored', { clientId: ' \0' }, 'it has no client id'],
])('readApp makes no application of a client: %s', (_, client, why) => {
  const { app, lost } = read(client);
  expect(app).toBeUndefined();
  expect(lost.join()).toContain(why);
});

it('readApp lists everything that it cannot map', () => {
  const { lost } = read({
    redirectUris: ['https://a.example/'],
    directAccessGrantsEnabled: true,
    consentRequired: true,
    protocolMappers: [{}, {}],
    authenticationFlowBindingOverrides: { browser: 'x' },
    authorizationSettings: {},
    defaultClientScopes: ['profile', 'cargo'],
    attributes: {
      'access.token.lifespan': '60',
      'client.session.idle.timeout': '',
      'oidc.ciba.grant.enabled': 'false',
      'acr.loa.map': '{}',
      'dpop.bound.access.tokens': 'true',
      'pkce.code.challenge.method': 'S256',
    },
  });
  expect(lost).toEqual([
    'client secret (a new one is issued)',
    'password grant',
    'consent',
    '2 protocol mappers',
    'login flows of its own',
    'client scopes cargo',
    'token lifetimes',
    'tokens bound to a key',
    'PKCE as a demand',
  ]);
});
