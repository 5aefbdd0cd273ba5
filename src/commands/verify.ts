/** `idport verify`: prints a line for each user of a body or an export that is not at the target as expected. */
import { resolve } from 'node:path';
import { ExitCode, OutputClosedError } from '../errors.ts';
import { readIdMap } from '../flows/report/id-map.ts';
import { openReport } from '../flows/report/open-report.ts';
import {
  factsOf,
  verifyReport,
  type VerifyReportHead,
  type VerifyReportTail,
} from '../flows/report/contents.ts';
import { compareIdps, compareOrgs } from '../flows/resources/find.ts';
import { parseLoginSample, tryLogins } from '../flows/verify/login-sample.ts';
import { filesOf, type UserSource, withBodyRule, isInShard } from '../flows/read/read-users.ts';
import type { VerifyCounts } from '../flows/verify/comparison.ts';
import type { Compared, TriedLogin, VerifyOutcome } from '../records/outcomes.ts';
import { verifyUsers } from '../flows/verify/verify.ts';
import { linePrinter } from '../storage/stream-sink.ts';
import { readApps } from './project-flags.ts';
import { chooseOrg, orgsOf, readOrgSettings } from './choose-org.ts';
import type { VerifyFlags } from '../flags/imports.ts';
import type { CommandContext } from './context.ts';
import { checkPolicy, readIdps } from './convert-request.ts';
import { placeUsers } from '../flows/orgs/match-orgs.ts';
import { readText } from './read-text.ts';
import { connectAtRate } from './connect.ts';
import { byShard } from './shard.ts';
import { journalFolders, openSource } from './source.ts';
import { requireRepeatable } from '../lib/input.ts';
import { stopwatch } from '../lib/clock.ts';

export const verify = byShard<VerifyFlags>(async (typed, context, shard) => {
  const { cwd, clock } = context;
  const [startedAt, seconds] = [clock.now(), stopwatch(clock)];
  const { loginSample, idMap } = typed;
  const credentials =
    loginSample === undefined ? [] : parseLoginSample(loginSample, readText(loginSample, cwd));
  const sample = credentials.filter(({ userName }) => isInShard(shard, userName));
  const idps = readIdps(typed, cwd);
  const given = await openSource(typed, context);
  // Names are not kept in memory, so the source is read more than once.
  requireRepeatable(filesOf(given));
  // An export does not name the organization of its users.
  const isNamed = typed.org !== undefined || typed.from === undefined;
  const flags = isNamed ? typed : { ...typed, org: [await chooseOrg({ ...typed, org: undefined }, context)] };
  const [org = ''] = flags.org ?? [];
  const named = await orgsOf(flags.org, given);
  const settings = await readOrgSettings({ ...flags, org }, given, context);
  const apps = await readApps({ ...flags, org }, given);
  const { profile, pace } = await connectAtRate(flags, context, shard);
  const { client } = pace;
  // With --jit, hashes that the target refuses were left out, even if no profile was named.
  const policy = checkPolicy(flags, profile, flags.jit ? 'drop' : 'keep');
  const users: UserSource = { ...given, policy: withBodyRule(given, policy, 'keep'), duplicates: 'reject' };
  try {
    const { source, orgs: matched } = await placeUsers(client, users, named, settings, context.emit);
    const { there: orgs, missing: missingOrgs } = await compareOrgs(client, matched, context.emit);
    const missingIdps = await compareIdps(client, orgs, idps, context.emit);
    const written = createOutput(flags, context);
    await written.begin({
      inputs: given.inputs.map(({ name }) => name),
      url: client.url,
      orgs,
      startedAt,
    });
    const counts = await verifyUsers(
      {
        ...pace,
        source,
        orgs,
        shard,
        newIds: idMap === undefined ? [] : readIdMap(idMap, resolve(cwd, idMap)),
        details: flags.details,
        withExport: flags.export,
        apps,
        journals: journalFolders(given, context.cwd),
        reportSame: flags.all,
        report: (compared) => written.user(compared),
      },
      context,
    );
    const logins: TriedLogin[] = [];
    try {
      for await (const login of tryLogins(client, orgs, sample)) {
        logins.push(login);
        await written.login(login);
      }
    } finally {
      await written.end({ counts, logins, requests: client.sent, seconds: seconds() });
    }
    if (counts.notYet > 0) return ExitCode.notYet;
    return missingOrgs + counts.parts + missingIdps > 0 || hasDifferences(counts, logins, flags)
      ? ExitCode.differs
      : ExitCode.done;
  } catch (error) {
    if (!(error instanceof OutputClosedError)) throw error;
    // The reader closed the output after some lines. With these two flags, the lines need not be differences.
    const isUnknown = flags.all || flags.allowExtra;
    const hint = 'Not all users were compared: read the output to its end, or pass --report.';
    throw new OutputClosedError(isUnknown ? ExitCode.failed : ExitCode.differs, hint, error);
  }
});

function hasDifferences(counts: VerifyCounts, logins: readonly TriedLogin[], flags: VerifyFlags) {
  const { blocked, missing, differs, unknown } = counts;
  const extra = flags.allowExtra ? 0 : counts.extra;
  return blocked + missing + differs + unknown + extra > 0 || logins.some(({ succeeded }) => !succeeded);
}

/** Writes results to standard output, events and the report. */
function createOutput(flags: VerifyFlags, context: CommandContext) {
  const { emit, stdout, addFacts } = context;
  const report = openReport(flags.report, verifyReport, context);
  // The report is completed even if nothing reads the lines.
  const show = linePrinter(stdout, report !== undefined);
  return {
    async begin(run: VerifyReportHead) {
      addFacts({ organizations: run.orgs });
      await report?.begin(run);
    },
    async user(compared: Compared) {
      if (compared.outcome !== 'same') {
        const { email: _, ...told } = compared;
        emit({ type: 'user:compared', ...told, outcome: compared.outcome });
        await report?.add(compared);
      }
      await show(formatUser(compared));
    },
    async login(login: TriedLogin) {
      emit({ type: 'login:tried', ...login });
      await show(formatLogin(login));
    },
    async end(end: VerifyReportTail) {
      await report?.end(end);
      emit({ type: 'verify:end', verb: 'verify', ...factsOf(end) });
    },
  };
}

const signs: Readonly<Record<VerifyOutcome, string>> = {
  same: '=',
  blocked: '~',
  missing: '-',
  extra: '+',
  differs: '*',
  unknown: '!',
};

/** Formats a user, for example `* old-1 ann: email, state; unknown: password`. */
function formatUser({ outcome, place, targetId, userName, fields, unknown, detail }: Compared) {
  const name = [place === undefined ? targetId : place.id, userName].filter((part) => part !== '').join(' ');
  const parts = [fields.join(', '), unknown.length === 0 ? '' : `unknown: ${unknown.join(', ')}`, detail];
  const what = parts.filter((part) => part !== '').join('; ');
  return `${signs[outcome]} ${what === '' ? name : `${name}: ${what}`}`;
}

function formatLogin({ userName, succeeded, detail }: TriedLogin) {
  if (!succeeded) return `* ${userName}: cannot sign in: ${detail}`;
  return `= ${userName}: can sign in${detail === '' ? '' : `; ${detail}`}`;
}
