/**
 * Exports organizations into a file, in one answer or, if that is too large, organization by organization, and lists what the
 * export does not contain.
 */
import { Readable } from 'node:stream';
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { IdportError } from '../../errors.ts';
import { type Emit, type ExportedOrg, fileWritten, note, type RunContext, warning } from '../../events.ts';
import { scanJson } from '../../json/scan.ts';
import type { Sink } from '../../lib/sink.ts';
import { createGroupedSpill, type GroupedSpill } from '../../storage/spill-file.ts';
import type { ExportDataInput } from '../../wire/import.ts';
import { renamed, snakeCase } from '../../wire/member-names.ts';
import { listOrgIds } from '../preflight/check-orgs.ts';
import { hasPlaceholder } from '../../records/placeholder-password.ts';
import { listNames as lists, organizationsIn } from '../../sources/org-data/organizations.ts';
import { nameInside, withoutMadeName } from '../../targets/bulk/entry.ts';
import { stopwatch } from '../../lib/clock.ts';

export interface ExportRequest {
  readonly client: Client;
  /** Ids of the organizations. Empty means all. */
  readonly orgs: readonly string[];
  readonly exclude: readonly string[];
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
  /** In Go's normal form. */
  readonly timeout: string;
  /** How long an answer may take to begin, in milliseconds. */
  readonly answerTimeout: number;
  readonly splitByOrg: boolean;
  /** Asks the service to write to this bucket. Newer services answer inline all the same. */
  readonly bucket?: ExportBucket | undefined;
  readonly sink: Sink;
}

export interface ExportBucket {
  readonly bucket: string;
  readonly path: string;
  /** Key file, in base64, of the service account that the service uses. */
  readonly serviceAccount: string;
  /** Fetches the object afterwards. If absent, it stays in the bucket. */
  readonly download?: (() => AsyncIterable<Uint8Array>) | undefined;
}

/** Commits the sink if something was written, else discards it. */
export async function exportOrgs(request: ExportRequest, context: RunContext) {
  const { client, sink } = request;
  const { emit, clock } = context;
  const watch = stopwatch(clock);
  emit({ type: 'run:start', verb: 'export', inputs: [client.url] });
  const writer = createExportWriter(sink, context);
  try {
    // The service's own exclusion fails, so the other organizations are named.
    const { exclude, splitByOrg } = request;
    const orgIds = exclude.length > 0 || splitByOrg ? await nameOrgs(request) : request.orgs;
    // The service would export all.
    if (orgIds.length === 0 && exclude.length > 0) throw empty();
    if (request.bucket !== undefined) await exportByBucket(request, orgIds, request.bucket, writer, emit);
    else await exportInline(request, orgIds, writer, emit);
    const missing = findMissing(request, writer, emit);
    if (writer.answers > 1 || request.orgs.length + exclude.length > 0)
      emit(warning('export:references', apart));
    const isWritten = await writer.end();
    const lost = lostBy(request, writer.orgs);
    const seconds = watch();
    if (isWritten) emit(fileWritten(sink, 'export'));
    emit({ type: 'export:end', verb: 'export', orgs: writer.orgs, lost, requests: client.sent, seconds });
    return {
      orgs: writer.orgs,
      /** Requested organizations that the service does not know. */
      missing,
      /** Organizations not exported, because the service's lists have lost users of them. */
      lost: writer.lost,
    };
  } catch (error) {
    sink.discard();
    throw error;
  }
}

/** Throws for an empty export. Warns of missing organizations and returns them. */
function findMissing(
  { orgs, exclude, bucket }: ExportRequest,
  { orgs: exported, lost }: ExportWriter,
  emit: Emit,
) {
  if (bucket !== undefined && exported.length === 0) return [];
  if (exported.length === 0 && lost.length === 0) throw empty();
  const known = new Set([...exclude, ...lost, ...exported.map(({ orgId }) => orgId)]);
  const missing = orgs.filter((id) => !known.has(id));
  if (missing.length > 0) {
    const text = `Not in the export, because the service does not know them: ${missing.join(', ')}.`;
    emit(warning('export:missing', text));
  }
  return missing;
}

const empty = () =>
  new IdportError(
    'export:empty',
    'there is nothing in the export',
    'Check --url, --org and --exclude: no such organization is there.',
  );

const apart =
  'The service leaves out what refers to an organization that is not in the same answer: project grants to it, roles in its projects, roles and memberships of its users. Set these by hand after the import.';

async function exportInline(
  request: ExportRequest,
  orgIds: readonly string[],
  writer: ExportWriter,
  emit: Emit,
) {
  const { client } = request;
  if (!request.splitByOrg) {
    const whole = await ask(request, { orgIds }).catch(ifLost);
    if (whole !== undefined && whole !== 'lost') {
      await writer.take(client.url, blocksOf(whole));
      return;
    }
    const why =
      whole === 'lost'
        ? `The lists of the service have lost users (${lostUser})`
        : 'The whole export is too large for one answer of the service';
    emit(note('export:split', `${why}: asking organization by organization.`));
  }
  const each = orgIds.length > 0 ? orgIds : await nameOrgs(request);
  for (const orgId of each) {
    const one = await ask(request, { orgIds: [orgId] }).catch(ifLost);
    if (one === undefined) {
      const smaller = request.withPasswords ? ' It is smaller without passwords (copy: --no-passwords).' : '';
      throw new IdportError(
        'export:too-large',
        `organization ${orgId} alone is too large for one answer of the service`,
        `Older services write it to a bucket: --gcs.${smaller}`,
      );
    }
    if (one === 'lost') writer.lost.push(orgId);
    else await writer.take(client.url, blocksOf(one));
  }
  if (writer.lost.length === 0) return;
  const text = `Not in the export, because the lists of the service have lost users of them (${lostUser}): ${writer.lost.join(', ')}. Its operator can restart the projection of users; then export these with --org.`;
  emit(warning('export:lost', text));
}

/** Error id for an organization with a user that the service's lists have lost. The whole request fails then. */
const lostUser = 'QUERY-3n77z';

function ifLost(error: unknown): 'lost' {
  if (error instanceof ApiError && error.id === lostUser) return 'lost';
  throw error;
}

async function exportByBucket(
  request: ExportRequest,
  orgIds: readonly string[],
  { bucket, path, serviceAccount, download }: ExportBucket,
  writer: ExportWriter,
  emit: Emit,
) {
  const gcsOutput = { bucket, path, serviceaccountJson: serviceAccount };
  const answer = await ask(request, { orgIds, gcsOutput });
  if (answer === undefined) {
    throw new IdportError(
      'export:too-large',
      'the service ignores the bucket, and its answer would be too large',
      'Leave --gcs out: the export is then taken organization by organization.',
    );
  }
  await writer.take(request.client.url, blocksOf(answer));
  if (writer.orgs.length > 0) {
    const text =
      'The service answered with the data itself and wrote nothing into the bucket, as newer ones do: saved.';
    emit(note('export:inline', text));
    return;
  }
  const text = `The service has written gs://${bucket}/${path}.`;
  emit(note('export:in-bucket', text));
  if (download !== undefined) await writer.take(`gs://${bucket}/${path}`, download());
}

/** Returns the complete answer. Undefined if it would be too large for the service. */
async function ask(request: ExportRequest, fields: ExportDataInput): Promise<GroupedSpill | undefined> {
  const { client, withPasswords, withOtp, timeout } = request;
  let answer: GroupedSpill | undefined;
  const body: ExportDataInput = {
    withPasswords,
    withOtp,
    timeout,
    responseOutput: fields.gcsOutput === undefined,
    ...fields,
  };
  const end = await client.attempt({
    method: 'POST',
    path: exporting,
    body: renamed(body, snakeCase),
    timeout: request.answerTimeout,
    receive: async (blocks) => {
      answer?.close();
      answer = createGroupedSpill();
      for await (const block of blocks) answer.write(0, block);
    },
  });
  if (end.ok) return answer;
  answer?.close();
  if (end.error.verdict === 'too-large') return undefined;
  throw end.error;
}

const exporting = '/admin/v1/export';

async function nameOrgs({ client, orgs, exclude }: ExportRequest) {
  const all = orgs.length > 0 ? orgs : [...(await listOrgIds(client, exporting))];
  return all.filter((id) => !exclude.includes(id));
}

/**
 * Maximum size of an organization, in bytes, of which one at a time is in memory: as much as the service puts into one answer.
 */
const longestOrg = 1024 * 1024 * 1024;

type ExportWriter = ReturnType<typeof createExportWriter>;

function createExportWriter(sink: Sink, { signal, emit }: RunContext) {
  const orgs: ExportedOrg[] = [];
  let users = 0;
  return {
    orgs,
    /** Ids of organizations that the service does not export. */
    lost: [] as string[],
    /** Number of answers that contained organizations. */
    answers: 0,
    /** Adds the organizations of an answer. An answer without any adds nothing. */
    async take(name: string, blocks: AsyncIterable<Uint8Array>) {
      const options = { arrays: [['orgs']], batchBytes: 1, maxElementBytes: longestOrg };
      const before = orgs.length;
      for await (const item of scanJson(`answer of ${name}`, blocks, options)) {
        signal.throwIfAborted();
        if (item.kind !== 'batch') continue;
        const { summary, parts } = await readOrg(`answer of ${name}`, item.bytes);
        await sink.write(orgs.length === 0 ? '{"orgs":[' : ',\n');
        for (const part of parts) await sink.write(part);
        orgs.push(summary);
        users += summary.counts['humanUsers'] ?? 0;
        emit({ type: 'run:progress', bytes: sink.bytes, records: users });
      }
      if (orgs.length > before) this.answers += 1;
    },
    /** False if the export stays in the bucket. */
    async end() {
      if (orgs.length === 0) {
        sink.discard();
        return false;
      }
      const lost = this.lost.length > 0 ? `,"lost":${JSON.stringify(this.lost.join(', '))}` : '';
      await sink.write(`]${lost}}\n`);
      await sink.commit();
      return true;
    },
  };
}

async function* blocksOf(answer: GroupedSpill) {
  try {
    yield* answer.read(0);
  } finally {
    answer.close();
  }
}

const repairs: Readonly<Record<string, (text: string) => string>> = {
  humanUsers: withoutMadeName,
  machineUsers: nameInside,
};

/**
 * Splits an organization into parts. They are verbatim except for what an import would not accept: service accounts get their id
 * where the import reads it, and display names that the service made are left out. `name` is for messages. Throws `InputError`
 * for anything but a JSON object.
 */
async function readOrg(name: string, org: Uint8Array) {
  const counts: Record<string, number> = {};
  const parts: Uint8Array[] = [];
  const summary = { orgId: '', name: '', passwords: 0, otp: 0 };
  let done = 0;
  const options = { lists, batchBytes: 1, maxElementBytes: org.length };
  for await (const item of organizationsIn(name, Readable.from([org]), options)) {
    if (item.kind === 'end') Object.assign(summary, { orgId: item.org.orgId, name: item.org.name });
    if (item.kind !== 'batch') continue;
    const { list } = item;
    counts[list] = (counts[list] ?? 0) + item.count;
    if (list === 'humanUsers') {
      const text = Buffer.from(item.bytes).toString('latin1');
      if (/"hashedPassword"\s*:/.test(text) && !hasPlaceholder(text)) summary.passwords += 1;
      if (/"otpCode"\s*:/.test(text)) summary.otp += 1;
    }
    const repair = repairs[list];
    if (repair === undefined) continue;
    const text = Buffer.from(item.bytes).toString('utf8');
    const whole = repair(text);
    if (whole === text) continue;
    parts.push(org.subarray(done, item.offset), Buffer.from(whole));
    done = item.offset + item.bytes.length;
  }
  parts.push(org.subarray(done));
  return { summary: { ...summary, counts }, parts };
}

interface Asked {
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
}

interface Loss {
  readonly text: string;
  /** `has` reports whether the export may have entries in one of these lists. If absent, the loss always applies. */
  readonly when?: (has: (...lists: string[]) => boolean, asked: Asked) => boolean;
}

/** What the service leaves out of exports. */
const losses: readonly Loss[] = [
  {
    text: 'password hashes: not requested (export --with-passwords, copy without --no-passwords)',
    when: (has, { withPasswords }) => !withPasswords && has('humanUsers'),
  },
  {
    text: 'TOTP secrets: not requested (export --with-otp, copy without --no-otp)',
    when: (has, { withOtp }) => !withOtp && has('humanUsers'),
  },
  {
    text: 'keys of service accounts: there are none in the answer, and older services leave them out',
    when: (has) => has('machineUsers') && !has('machineKeys'),
  },
  { text: 'personal access tokens and secrets of service accounts', when: (has) => has('machineUsers') },
  {
    text: 'that users must change their password: passwordChangeRequired in GET /v2/users/<id>',
    when: (has) => has('humanUsers'),
  },
  { text: 'passkeys, codes by SMS and email, and recovery codes', when: (has) => has('humanUsers') },
  {
    text: 'secrets of applications (client ids change as well)',
    when: (has) => has('oidcApps', 'apiApps'),
  },
  { text: 'SAML applications', when: (has) => has('projects') },
  {
    text: 'settings of the instance: policies, managers, identity providers, second factors, targets and executions',
  },
  {
    text: 'of organizations: metadata, logos and fonts, invitation texts, identity providers, except OIDC and JWT ones made with the old calls AddOrgOIDCIDP and AddOrgJWTIDP',
  },
  { text: 'history and sessions' },
];

/**
 * Returns only losses that can concern the organizations: nothing about service accounts if there are none. An export in a bucket
 * may contain anything.
 */
export function lostBy(asked: Asked, orgs: readonly ExportedOrg[]) {
  const has = (...lists: string[]) =>
    orgs.length === 0 || orgs.some(({ counts }) => lists.some((list) => (counts[list] ?? 0) > 0));
  return losses.filter(({ when }) => when?.(has, asked) ?? true).map(({ text }) => text);
}
