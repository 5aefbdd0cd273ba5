/** What a one-by-one import is asked for. */
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
  /** Undefined where each user goes to the organization of the body. */
  readonly org: string | undefined;
  /** All organizations that users go to, with the name of those that are created where they are missing. */
  readonly orgs: readonly TargetOrg[];
  /** Clients of the source, which become applications; a body has its own. */
  readonly apps?: AppsOfProject | undefined;
  /** What was said before, for the report. */
  readonly notices?: readonly Notice[];
  /** Users who were deleted in the source since; `report` names them. */
  readonly deleted?: DeletedRule | undefined;
  readonly errors: ErrorLimit;
  /** Switch the email about changed passwords off until the end of the run; where they are too many, a function asks first. */
  readonly muteEmails?: true | ((question: string) => Promise<boolean>) | undefined;
  /** Maximum of concurrent requests, and of requests a second. */
  readonly concurrency: number;
  readonly perSecond: number | undefined;
  readonly dryRun: boolean;
  /** `send`: the service hashes passwords in plain text itself. */
  readonly plainPasswords?: 'hash' | 'send';
  /** Absent: nothing is sent to users. */
  readonly sendVerification?: CreateUserOptions['sendVerification'];
  /** What changes the meaning of the users' numbers: with another value it is another run. */
  readonly settings: Readonly<Record<string, string>>;
}
