/** Defines the request for a one-by-one import. */
import type { TargetOrg } from '../../records/organization.ts';
import type { Notice } from '../../sources/source.ts';
import type { CreateUserOptions } from '../../targets/create-user.ts';
import type { AppsOfProject } from '../resources/source-apps.ts';
import type { AnyImportRequest } from '../runs/open-run.ts';
import type { UserSource } from '../source/read-users.ts';
import type { Api } from './create-user-support.ts';
import type { DeletedRule } from './deleted-users.ts';
import type { ErrorLimit } from './error-limit.ts';
import type { Selection } from './select-users.ts';
import type { IdRule } from './user-ids.ts';

export interface ImportUsersRequest extends AnyImportRequest {
  readonly source: UserSource;
  readonly selection: Selection;
  readonly api: Api;
  readonly idRule: IdRule;
  /** Undefined if each user goes to the organization that the body names. */
  readonly org: string | undefined;
  /** All organizations that users go to. Those with a name are created if they do not exist. */
  readonly orgs: readonly TargetOrg[];
  /** Clients of the source, which become applications. A body has its own applications. */
  readonly apps?: AppsOfProject | undefined;
  /** Notices given before the import, for the report. */
  readonly notices?: readonly Notice[];
  /** What to do with users deleted in the source since the previous runs. `report` only names them. */
  readonly deleted?: DeletedRule | undefined;
  readonly errors: ErrorLimit;
  /** Switches off the email about changed passwords until the run ends. A function is asked first if too many would be sent. */
  readonly muteEmails?: true | ((question: string) => Promise<boolean>) | undefined;
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly perSecond: number | undefined;
  readonly dryRun: boolean;
  /** `send`: the service itself hashes passwords in plain text. */
  readonly plainPasswords?: 'hash' | 'send';
  /** If absent, nothing is sent to users. */
  readonly sendVerification?: CreateUserOptions['sendVerification'];
  /** Settings that change the meaning of the users' numbers. With other values it is another run. */
  readonly settings: Readonly<Record<string, string>>;
}
