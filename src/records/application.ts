/** Applications of a source in the form that the service accepts, and the ids that they get at the target. */
import { deriveNumericId } from './role.ts';

/** Settings of an OIDC application, named as in the import body (Z:proto/zitadel/management.proto, AddOIDCAppRequest). */
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

interface ApiSettings {
  readonly authMethodType: 'API_AUTH_METHOD_TYPE_BASIC' | 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT';
}

export type AppSettings =
  | { readonly kind: 'oidc'; readonly settings: OidcSettings }
  | { readonly kind: 'api'; readonly settings: ApiSettings };

/** A client of the source. */
export interface SourceApp {
  /** Empty if the source has no realms. */
  readonly realm: string;
  /** Client id at the source. */
  readonly clientId: string;
  /** Undefined if the client does not become an application. */
  readonly app: AppSettings | undefined;
  /** Texts for the report: what does not move, or why nothing does. */
  readonly lost: readonly string[];
}

export interface SourceApps {
  readonly apps: readonly SourceApp[];
  /** Number of clients that are built into the source. They are left out. */
  readonly builtIn: number;
}

/** Longest name that the service accepts. */
export const maxAppName = 200;

/** Returns the id of an application. It is the same for the same client in every run. */
export const deriveAppId = (projectId: string, name: string) =>
  deriveNumericId('application', projectId, name);

/**
 * Reports whether the service generates a secret for the application. An absent method counts as basic, because exports
 * leave out defaults.
 */
export const hasSecret = ({ authMethodType }: { readonly authMethodType?: unknown }) =>
  authMethodType === undefined || secretMethods.includes(authMethodType);

const secretMethods: readonly unknown[] = [
  'OIDC_AUTH_METHOD_TYPE_BASIC',
  'OIDC_AUTH_METHOD_TYPE_POST',
  'API_AUTH_METHOD_TYPE_BASIC',
];
