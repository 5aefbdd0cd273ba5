/** A bulk import against a reference server in this process, while the clock of the service moves on. */
import { join } from 'node:path';
import type { IdportEvent } from '../../src/events.ts';
import { importOrgs } from '../../src/flows/import/import.ts';
import type { ImportRequest } from '../../src/flows/import/request.ts';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { createRunOutputs } from '../../src/flows/report/run-outputs.ts';
import { entryTally, type Tally } from '../../src/records/tally.ts';
import { drive } from './clock.ts';
import { memoryInput } from './memory-input.ts';
import { importedUser } from './full-server.ts';
import type { Service } from './service.ts';

export const journalName = 'importBody.json.journal';

export const importRequest = (
  { client }: Pick<Service, 'client'>,
  body: string,
  more: Pick<ImportRequest, 'journal'> & Partial<ImportRequest>,
): ImportRequest => ({
  input: memoryInput('importBody.json', body),
  client,
  timeout: undefined,
  mostSeconds: null,
  firstForm: false,
  onExisting: 'skip',
  createOrgs: [],
  phone: 'keep',
  limits: { emails: Infinity, sms: Infinity },
  profile: builtInProfiles.get('all-verifiers')!,
  size: inRequestsOf(5000),
  log: createRunOutputs({ report: undefined, rejects: undefined }),
  ...more,
});

/** The journal is put into `folder`. */
export async function runImport(
  service: Service,
  folder: string,
  body: string,
  overrides: Partial<ImportRequest> = {},
  onEvent: (event: IdportEvent) => void = () => {},
) {
  const { clock } = service.server;
  const journal = { path: join(folder, journalName), resume: false };
  const request = importRequest(service, body, { journal, ...overrides });
  const emit = (event: IdportEvent) => {
    service.events.push(event);
    onEvent(event);
  };
  const context = { emit, clock, signal: new AbortController().signal };
  return drive(clock, importOrgs(request, context));
}

export const human = (id: string, overrides: object = {}): Record<string, unknown> =>
  importedUser(id, { userName: `user-${id}`, ...overrides });

/** A text among the users is the id of one as `human` makes them. */
export function bodyOf(
  orgId: string,
  { humanUsers, ...lists }: { readonly humanUsers?: readonly unknown[]; readonly [list: string]: unknown },
) {
  const users = humanUsers?.map((user) => (typeof user === 'string' ? human(user) : user));
  return JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers: users, ...lists }] }, timeout: '30m0s' });
}

/** `u-0`, `u-1`, ... */
export const ids = (count: number) => Array.from({ length: count }, (_, at) => `u-${at}`);

/** Requests of at most so many entries. */
export const inRequestsOf = (most: number): ImportRequest['size'] => ({
  bytes: 4_190_000,
  jsonBytes: Infinity,
  most,
  seconds: 30,
});

/** Of the users, or the entries of another list. */
export function countsOf({ tally }: { readonly tally: Tally }, list?: string) {
  if (list !== undefined) return entryTally(tally, list);
  const { read, written, withNotes, rejected, skipped, reasons } = tally;
  const unchanged = reasons.get('user-skipped:unchanged');
  return { read, written: written + withNotes, rejected, skipped, unchanged };
}
