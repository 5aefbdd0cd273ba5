/** Imports users one by one: every user of a source is created at the target with a call of its own. */
import { formatCounted, formatNames } from '../../lib/format.ts';
import { type RunContext, warning } from '../../events.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Notice } from '../../notice.ts';
import { sumOf } from '../../records/tally.ts';
import { finishRun, openRun } from '../runs/open-run.ts';
import { describeVanished } from '../incremental/previous-runs.ts';
import { settleDeleted } from './deleted-users.ts';
import { passGate } from '../messages/gate.ts';
import {
  mutedFileOf,
  createPasswordEmails,
  type PasswordEmails,
  unmuteOrgs,
} from '../messages/password-emails.ts';
import { waitForList } from '../reconcile/list-lag.ts';
import { wrongCounts } from '../runs/open-journal.ts';
import { createOrgs, findOrgsToCreate } from '../orgs/create-orgs.ts';
import { reportCreated } from '../orgs/match-orgs.ts';
import { describeApps, toResources } from '../resources/source-apps.ts';
import { createResources } from '../resources/create.ts';
import { findAdded, reportAdded } from '../resources/find.ts';
import { readBodyResources } from '../../sources/org-data/projects.ts';
import { planLines } from '../runs/journal-users.ts';
import { reportProgress, startRun, type ImportUsersRequest } from './run.ts';
import { createTakenIds } from './service-users.ts';
import { refuseStreams, reportForecast, reportUnsure, scanSource, type UserScan } from './scan-users.ts';
import { createOldIds, sendRelated, sendUsers } from './send-users.ts';
import { stopwatch } from '../../lib/clock.ts';

/** Throws before anything is sent if source and target do not fit, or if more messages would be sent than allowed. */
export async function importUsers(request: ImportUsersRequest, context: RunContext) {
  const { client, log, selection } = request;
  const { emit, clock } = context;
  const seconds = stopwatch(clock);
  refuseStreams(request.source);
  const inputs = request.source.inputs.map(({ name }) => name);
  const body = request.source.provider === 'body' ? 'dataOrgs' : undefined;
  await log.begin({ verb: 'import-users', inputs, startedAt: clock.now() }, body);
  const notify = (notice: Notice) => log.notify(notice, emit);
  for (const notice of request.notices ?? []) log.notify(notice);
  if (request.apps !== undefined) describeApps(request.apps).forEach(notify);
  const taken = createTakenIds(client);
  const passwordEmails = createPasswordEmails(client, request.muteEmails === true);
  const { source, fingerprints, scan } = await scanSource(
    { ...request, taken, passwordEmails },
    context,
    notify,
  );
  const resources = await readResources(request, scan);
  const orgs = request.orgs.filter(
    ({ orgId }) => scan.trial?.orgs.has(orgId) !== false || resources.some(({ org }) => org === orgId),
  );
  reportForecast(scan, { ...request, orgs }, emit);
  reportUnsure(scan, request, emit);
  await passGate(scan.messages, request, emit, () => offerToMute(request, scan, passwordEmails));
  const newOrgs = await findOrgsToCreate(client, orgs);
  const added = await findAdded(client, resources, newOrgs, 'by name');
  if (request.dryRun) {
    reportCreated(newOrgs, 'would be created', emit);
    reportAdded(added, true, emit);
    (await settleVanished(request, undefined)).forEach(notify);
    return { tally: scan.tally, isComplete: log.isComplete(), seconds: 0 };
  }
  const { previous } = selection;
  const opening = {
    verb: 'import-users',
    input: scan.input,
    orgs: orgs.map(({ orgId }) => orgId),
    plan: planLines(scan.plan),
    settings: { ...request.settings, api: request.api, fingerprints: fingerprints.key },
    fingerprints,
    previous,
    newOrgs,
    added,
    resources,
  };
  const opened = await openRun(request, opening, context);
  const send = async () => {
    await createOrgs(opened, newOrgs, notify);
    reportCreated(newOrgs, 'created', emit);
    // Includes what the resumed run has begun to add.
    const projectIds = await createResources(opened, resources, opened.addedApps, notify);
    if (projectIds !== undefined) reportAdded(added, false, emit);
    const run = await startRun(request, opened, { scan, projectIds, taken, passwordEmails });
    reportProgress(run);
    if (previous?.lastWrite !== undefined) await waitForList(run, previous.lastWrite);
    const settled = await settleVanished(request, run.journal);
    const oldIds = createOldIds();
    const hasRelated = source.owned?.isEmpty === false;
    await sendUsers(run, source, (user) => {
      if (hasRelated) oldIds.add(user);
    });
    if (hasRelated) await sendRelated(run, source.inputs, oldIds);
    settled.forEach(notify);
    await unmuteOrgs(client, mutedFileOf(run.journal.path));
    if (run.followUpsFailed > 0) {
      const text = `The service refused ${formatCounted(run.followUpsFailed, 'call that completes a user', 'calls that complete users')} (state, metadata, roles): the notes of the report name them.`;
      notify(warning('single:refused-calls', text));
    }
    if (run.tally.read !== scan.users)
      throw wrongCounts(`${run.tally.read} of ${scan.users} users are accounted for`);
  };
  const end = await finishRun(opened, seconds, send).finally(() => source.owned?.close());
  return { ...end, isComplete: log.isComplete() };
}

/** Asks only if more emails would be sent than allowed. */
async function offerToMute(
  { muteEmails, limits }: ImportUsersRequest,
  { messages }: UserScan,
  passwordEmails: PasswordEmails,
) {
  const count = messages.emails.get('password-changed') ?? 0;
  if (typeof muteEmails !== 'function' || count === 0 || sumOf(messages.emails) <= limits.emails) return;
  const orgs = formatNames([...passwordEmails.orgs]);
  const question = `${formatCounted(count, 'user')} of organization ${orgs} would get an email that the password has changed. Switch it off there until the end of this run?`;
  if (!(await muteEmails(question))) return;
  passwordEmails.isMuted = true;
  messages.emails.delete('password-changed');
}

/** Returns what the source, or the users of a trial, need at the target besides these users. */
async function readResources(request: ImportUsersRequest, { trial }: UserScan) {
  const { source, org, selection, apps: ofSource } = request;
  // If several processes import, only one creates the applications: each would get a secret of its own.
  const isFirst = (selection.shard?.index ?? 1) === 1;
  if (ofSource !== undefined) return isFirst ? toResources(ofSource) : [];
  if (source.provider !== 'body') return [];
  const body = await readBodyResources(source.inputs[0]!);
  const own = body.resources.filter(({ kind, name }) => {
    if (kind === 'app') return isFirst;
    return kind !== 'grant' || trial?.orgs.has(name) !== false;
  });
  // If all users go to one organization, so do the projects of the body.
  return own.map((one) => ({ ...one, org: org ?? one.org }));
}

/** Applies `--deleted` to users of a previous run that this source lacks. Returns warnings about them. */
async function settleVanished(
  { selection: { previous }, client, deleted = 'report' }: ImportUsersRequest,
  journal: Journal | undefined,
) {
  if (previous === undefined || deleted === 'report') return describeVanished(previous);
  const end =
    journal === undefined
      ? `--deleted=${deleted} would apply to those that previous runs created.`
      : await settleDeleted(client, previous, deleted, journal);
  return describeVanished(previous, end);
}
