/** Health checks and OpenID discovery, which need no token. */
import type { Hono } from 'hono';
import { successHeaders } from '../app.ts';
import { originOf } from '../limits/connection.ts';
import type { ServerState } from '../method.ts';

export function mountHealth(app: Hono, state: ServerState) {
  const headers = () => successHeaders(state.store.now());
  app.get('/debug/healthz', (context) => context.text('ok'));
  app.get('/debug/:check{ready|validate}', (context) => context.json('ok'));
  app.get('/:service{admin|management|auth}/v1/healthz', (context) => context.body('{}', 200, headers()));
  app.get('/healthz', (context) => context.body('{"status":"SERVING"}', 200, headers()));
  app.get('/.well-known/openid-configuration', (context) => {
    const issuer = originOf(context);
    const endpoints = Object.entries(discoveryPaths).map(([name, path]) => [name, issuer + path]);
    return context.json({
      issuer,
      ...Object.fromEntries(endpoints),
      ...discovery,
      ui_locales_supported: state.store.instance.languages,
    });
  });
}

const discoveryPaths: Readonly<Record<string, string>> = {
  authorization_endpoint: '/oauth/v2/authorize',
  token_endpoint: '/oauth/v2/token',
  introspection_endpoint: '/oauth/v2/introspect',
  userinfo_endpoint: '/oidc/v1/userinfo',
  revocation_endpoint: '/oauth/v2/revoke',
  end_session_endpoint: '/oidc/v1/end_session',
  device_authorization_endpoint: '/oauth/v2/device_authorization',
  jwks_uri: '/oauth/v2/keys',
};

const words = (text: string) => text.split(' ');
const clientMethods = words('none client_secret_basic client_secret_post private_key_jwt');

/** The service's discovery document. This server only has its endpoints for tokens and keys. */
const discovery = {
  scopes_supported: words('openid profile email phone address offline_access'),
  response_types_supported: ['code', 'id_token', 'id_token token'],
  response_modes_supported: words('query fragment form_post'),
  grant_types_supported: words(
    'authorization_code implicit refresh_token client_credentials urn:ietf:params:oauth:grant-type:jwt-bearer ' +
      'urn:ietf:params:oauth:grant-type:device_code',
  ),
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: words('EdDSA RS256 RS384 RS512 ES256 ES384 ES512'),
  request_object_signing_alg_values_supported: ['RS256'],
  token_endpoint_auth_methods_supported: clientMethods,
  token_endpoint_auth_signing_alg_values_supported: ['RS256'],
  revocation_endpoint_auth_methods_supported: clientMethods,
  revocation_endpoint_auth_signing_alg_values_supported: ['RS256'],
  introspection_endpoint_auth_methods_supported: words('client_secret_basic private_key_jwt'),
  introspection_endpoint_auth_signing_alg_values_supported: ['RS256'],
  claims_supported: words(
    'sub aud exp iat iss auth_time nonce acr amr c_hash at_hash act scopes client_id azp preferred_username name ' +
      'family_name given_name locale email email_verified phone_number phone_number_verified',
  ),
  code_challenge_methods_supported: ['S256'],
  request_parameter_supported: true,
  request_uri_parameter_supported: false,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
};
