/** Applications of a source, as the service takes them, and the ids of what they become at the target. */
import { deriveId } from './role.ts';

/** Names as the import body has them (Z:proto/zitadel/management.proto, AddOIDCAppRequest). */
export interface OidcSettings {
  readonly redirectUris: readonly string[];
  readonly responseTypes: readonly string[];
  readonly grantTypes: readonly string[];
  readonly appType: 'OIDC_APP_TYPE_WEB' | 'OIDC_APP_TYPE_USER_AGENT' | 'OIDC_APP_TYPE_NATIVE';
  readonly authMethodType:
    | 'OIDC_AUTH_METHOD_TYPE_BASIC'
    | 'OIDC_AUTH_METHOD_TYPE_NONE'
    | 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT';
  readonly postLogoutRedirectUris: readonly string[];
  readonly version: 'OIDC_VERSION_1_0';
  readonly devMode: boolean;
  readonly accessTokenType: 'OIDC_TOKEN_TYPE_JWT';
  readonly additionalOrigins: readonly string[];
  readonly backChannelLogoutUri?: string;
}

export interface ApiSettings {
  readonly authMethodType: 'API_AUTH_METHOD_TYPE_BASIC' | 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT';
}

export type AppSettings =
  | { readonly kind: 'oidc'; readonly settings: OidcSettings }
  | { readonly kind: 'api'; readonly settings: ApiSettings };

/** A client of the source. */
export interface SourceApp {
  /** Empty where the source has none. */
  readonly realm: string;
  /** At the source. */
  readonly clientId: string;
  /** Undefined where it becomes no application. */
  readonly app: AppSettings | undefined;
  /** What does not move, or why none of it does: words for the report. */
  readonly lost: readonly string[];
}

export interface SourceApps {
  readonly apps: readonly SourceApp[];
  /** Clients that are built into the source: they are left out. */
  readonly builtIn: number;
}

/** Longest name that the service takes. */
export const maxAppName = 200;

/** The same for the same client in every run. */
export const deriveAppId = (projectId: string, name: string): string =>
  deriveId('application', projectId, name);

/** The service makes a secret for it. Without a method it is basic: exports leave defaults out. */
export const hasSecret = ({ authMethodType }: { readonly authMethodType?: unknown }): boolean =>
  authMethodType === undefined || secretMethods.includes(authMethodType);

const secretMethods: readonly unknown[] = [
  'OIDC_AUTH_METHOD_TYPE_BASIC',
  'OIDC_AUTH_METHOD_TYPE_POST',
  'API_AUTH_METHOD_TYPE_BASIC',
];
