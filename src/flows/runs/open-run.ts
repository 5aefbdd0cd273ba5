/** Starts and ends an import of either kind: its journal, its id map and its report, whatever happens in between. */
import type { Client } from '../../api/client.ts';
import type { RunContext } from '../../events.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import type { TargetOrg, Resource } from '../../records/resource.ts';
import { emptyTally, type Tally } from '../../records/tally.ts';
import type { Fingerprints } from '../incremental/fingerprint.ts';
import type { PreviousRuns } from '../incremental/previous-runs.ts';
import type { GateRequest } from '../messages/gate.ts';
import { readNewestBefore, createWriteTimes } from '../reconcile/write-times.ts';
import { outputProblem } from '../../storage/file-problem.ts';
import { keepIdMap, openIdMap } from '../report/id-map.ts';
import { endStopped, type RunOutputs } from '../report/run-outputs.ts';
import { checkSecretsFile, openAddedApps, type AddedApps } from '../resources/app-secrets.ts';
import { type JournalOptions, lockRun, openJournal } from './open-journal.ts';

/** Options that every import has. */
export interface AnyImportRequest extends GateRequest {
  readonly client: Client;
  readonly journal: JournalOptions;
  /** Report and rejects file. */
  readonly log: RunOutputs;
  readonly onExisting: 'skip' | 'fail';
  /** Path of the id map, if one is requested. */
  readonly idMapPath?: string | undefined;
  /** File for the secrets of new applications. */
  readonly appSecrets?: string | undefined;
  /** How long to wait for the service's lists, in milliseconds. */
  readonly wait: number;
}

interface NewRun extends Pick<JournalHeader, 'verb' | 'input' | 'orgs' | 'plan' | 'settings'> {
  readonly fingerprints: Fingerprints;
  readonly previous: PreviousRuns | undefined;
  /** Organizations to create. */
  readonly newOrgs: readonly TargetOrg[];
  readonly added: NonNullable<JournalHeader['creates']>;
  readonly resources: readonly Resource[];
}

export type OpenedRun = Awaited<ReturnType<typeof openRun>>;

/** Takes the locks of journal and id map, and keeps those files of the previous run under other names. */
export async function openRun(
  { client, log, onExisting, wait, journal: options, idMapPath, appSecrets }: AnyImportRequest,
  { verb, input, orgs, plan, settings, fingerprints, previous, newOrgs, added, resources }: NewRun,
  context: RunContext,
) {
  const apps = resources.filter(({ kind }) => kind === 'app');
  checkSecretsFile(apps, added, appSecrets);
  const header: JournalHeader = {
    verb,
    input,
    url: client.url,
    orgs,
    plan,
    settings,
    startedAt: client.serverNow(),
    newestBefore: await readNewestBefore(client, options.path),
    creates: [...newOrgs.map(({ orgId, name }) => ['org', orgId, orgId, name] as const), ...added],
    idMap: idMapPath,
  };
  const onBegin = () => keepIdMap(idMapPath, context.emit);
  // A run that uses both files is refused with the name of the journal.
  if (options.lock === undefined) lockRun(options, context).release();
  const mapLock =
    idMapPath === undefined ? undefined : lockRun({ ...options, path: idMapPath }, context, outputProblem);
  const journal = await openJournal({ ...options, onBegin }, header, context).catch((error: unknown) => {
    mapLock?.release();
    throw error;
  });
  let addedApps: AddedApps | undefined;
  let idMap: ReturnType<typeof openIdMap>;
  const close = () => {
    try {
      idMap?.close();
    } finally {
      addedApps?.secrets?.close();
      journal.close();
      mapLock?.release();
    }
  };
  try {
    addedApps = openAddedApps(apps, journal.progress, appSecrets, context.emit);
    // A different id map belongs to another run.
    if (journal.resumed && journal.header.idMap !== idMapPath) keepIdMap(idMapPath, context.emit);
    idMap = openIdMap(idMapPath);
  } catch (error) {
    close();
    throw error;
  }
  return {
    ...context,
    client,
    log,
    onExisting,
    journal,
    idMap,
    addedApps,
    fingerprints,
    previous,
    tally: emptyTally(),
    wait: { left: wait },
    writes: createWriteTimes(journal.progress),
    close,
  };
}

export interface ImportEnd {
  readonly tally: Tally;
  readonly seconds: number;
}

/** `send` returns when every user is accounted for. If the run stops before, report and id map have what was done. */
export async function finishRun(run: OpenedRun, seconds: () => number, send: () => Promise<void>) {
  const { client, emit, idMap, journal, log, tally } = run;
  try {
    await send();
    // Save while the run can still be resumed, which writes the map again.
    idMap?.save();
    await journal.finish(client.serverNow());
  } catch (error) {
    await endStopped(run, error, seconds());
    throw error;
  } finally {
    run.close();
  }
  await log.end(tally, seconds(), emit);
  return { tally, seconds: seconds() };
}
