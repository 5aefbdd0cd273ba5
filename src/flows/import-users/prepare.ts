/** What a run of import-users does before it sends: reads the source once, and refuses what cannot be imported. */
import type { Client } from '../../api/client.ts';
import { UsageError } from '../../errors.ts';
import type { Notice } from '../../sources/source.ts';
import { getOrgResponse } from '../../wire/organization.ts';
import { chooseFingerprints, Fingerprints, type FingerprintWay } from '../incremental/fingerprint.ts';
import { noRelatedRecords, readRelatedRecords, type RelatedRecords } from '../incremental/related-records.ts';
import { createMailList, type MailList } from '../messages/mail-list.ts';
import type { EmailAfter } from '../reconcile/verified-email.ts';
import type { JournalOptions } from '../resume/open-journal.ts';
import { carriedLists } from '../source/related-entries.ts';
import type { UserSource } from '../source/read-users.ts';
import { scanUsers, type UserScan } from './scan-users.ts';
import type { Selection } from './select-users.ts';

/** Which users are to be imported, and how. */
export interface SourceRequest {
  readonly source: UserSource;
  readonly selection: Selection;
  readonly journal: JournalOptions;
  readonly followUp: boolean;
  readonly emailAfter?: EmailAfter | undefined;
  /** Of those who get a message; absent where it is not asked for. */
  readonly mailList?: MailList;
}

interface Scanned {
  readonly way: FingerprintWay;
  readonly fingerprints: Fingerprints;
  readonly scan: UserScan;
}

export async function scanSource(
  { source, selection, journal, followUp, emailAfter, mailList = createMailList(undefined) }: SourceRequest,
  { signal }: { readonly signal: AbortSignal },
  notify: (notice: Notice) => void,
): Promise<Scanned> {
  const { previous } = selection;
  const way = await chooseFingerprints(previous, journal);
  const related = await readRelated(source, way);
  const fingerprints = new Fingerprints(way, related);
  const onUser = (): void => signal.throwIfAborted();
  const setsEmails = emailAfter === 'verified';
  const options = { fingerprints, related, followUp, setsEmails, mailList, notify, onUser };
  const scan = await scanUsers(source, selection, options);
  refuseUnknown(scan);
  if (previous?.withLists === false && related.counts.size > 0) {
    notify({ level: 'warning', code: 'delta:lists', text: notCompared });
  }
  return { way, fingerprints, scan };
}

/** Only our own import body has such lists. */
function readRelated({ provider, inputs }: UserSource, { key }: FingerprintWay): Promise<RelatedRecords> {
  return provider === 'body'
    ? readRelatedRecords(inputs, carriedLists, key)
    : Promise.resolve(noRelatedRecords);
}

const notCompared =
  'An earlier version of idport wrote a journal of --since-journal, which does not say what userMetadata and userLinks ' +
  'had: users who have changed in nothing else may be left out. `idport verify` finds them.';

/** They are read twice, and again when the run is resumed. */
export function refuseStreams({ inputs, companions }: UserSource): void {
  const stream = [...inputs, ...Object.values(companions).flat()].find(({ repeatable }) => !repeatable);
  if (stream === undefined) return;
  throw new UsageError(`${stream.name} cannot be read more than once`, {
    hint: 'An import reads its input twice, and again when it is resumed: put it into a file.',
  });
}

/** A misspelled name would import no user, and all would look well. */
function refuseUnknown({ unknownUsers }: UserScan): void {
  if (unknownUsers.length === 0) return;
  const names = unknownUsers.map((name) => JSON.stringify(name)).join(' or ');
  throw new UsageError(`no user in the input is ${names}`, {
    hint: '--user takes an id, a user name or an email address, as the input has them.',
  });
}

/** Also brings the service's clock. Throws `ApiError` for one that is not there, `UsageError` for an inactive one. */
export async function checkOrg(client: Client, org: string): Promise<void> {
  const { org: found } = await client.call({
    method: 'GET',
    path: '/management/v1/orgs/me',
    org,
    answer: getOrgResponse,
  });
  if (found?.state === 'ORG_STATE_ACTIVE') return;
  throw new UsageError(`organization ${org} is not active`, {
    hint: 'Its users could not sign in. Activate it first, or give another --org.',
  });
}
