/** Files that a run reads besides its inputs. In a file of its own: `connect.ts` loads the HTTP client. */
import type { NamedFile } from '../storage/open-output.ts';
import type { ConnectionFlags } from './connection-flags.ts';
import type { CommandContext } from './context.ts';

interface ReadFlags {
  readonly gcsKey?: string;
  readonly map?: string;
  readonly orgMap?: string;
  readonly roleMap?: string;
  readonly idpMap?: string;
  readonly loginSample?: string;
}

/** No output may replace one. */
export function filesInUse(
  flags: ConnectionFlags & ReadFlags,
  { env }: Pick<CommandContext, 'env'>,
): NamedFile[] {
  return [
    { what: 'the token', path: flags.tokenFile },
    { what: 'the key', path: flags.keyFile },
    { what: 'the secret', path: flags.clientSecretFile },
    { what: 'the key of IDPORT_KEY_FILE', path: env['IDPORT_KEY_FILE'] || undefined },
    { what: 'the key', path: flags.gcsKey },
    { what: 'the mapping', path: flags.map },
    { what: 'the file of --org-map', path: flags.orgMap },
    { what: 'the file of --role-map', path: flags.roleMap },
    { what: 'the file of --idp-map', path: flags.idpMap },
    { what: 'the file of --login-sample', path: flags.loginSample },
  ];
}
