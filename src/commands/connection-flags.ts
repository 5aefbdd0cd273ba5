/** Address and credentials of a service, as commands and the library take them; `cli/flags/connection.ts` declares them. */
export interface ConnectionFlags {
  readonly url?: string;
  readonly tokenFile?: string;
  /** The token itself, or `-` for standard input. */
  readonly token?: string;
  /** Key file of a service account (JWT with private key). */
  readonly keyFile?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
}
