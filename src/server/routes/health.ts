/** Health checks and OpenID discovery: routes without a token. */
import type { Hono } from 'hono';
import { originOf, successHeaders } from '../app.ts';
import type { ServerState } from '../context.ts';

export function mountHealth(app: Hono, state: ServerState): void {
  const headers = () => successHeaders(state.settings.clock.now());
  app.get('/debug/healthz', (context) => context.text('ok'));
  app.get('/debug/ready', (context) => context.json('ok'));
  for (const path of ['/admin/v1/healthz', '/management/v1/healthz', '/auth/v1/healthz'] as const) {
    app.get(path, (context) => context.body('{}', 200, headers()));
  }
  app.get('/healthz', (context) => context.body('{"status":"SERVING"}', 200, headers()));
  app.get('/.well-known/openid-configuration', (context) => {
    const issuer = originOf(context);
    return context.json({
      issuer,
      authorization_endpoint: `${issuer}/oauth/v2/authorize`,
      token_endpoint: `${issuer}/oauth/v2/token`,
      introspection_endpoint: `${issuer}/oauth/v2/introspect`,
      userinfo_endpoint: `${issuer}/oidc/v1/userinfo`,
      jwks_uri: `${issuer}/oauth/v2/keys`,
      grant_types_supported: ['client_credentials', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      token_endpoint_auth_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid', 'profile', 'email', 'phone', 'address', 'offline_access'],
    });
  });
}
