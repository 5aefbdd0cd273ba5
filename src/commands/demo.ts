/** `idport demo`: a whole migration to the reference server in a temporary folder; with `--jit`, a login-time migration. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { ExitCode, UsageError } from '../errors.ts';
import { formatCounted } from '../lib/quantity.ts';
import { sumEmails } from '../records/messages.ts';
import { createReferenceServer } from '../server/index.ts';
import type { Sink } from '../lib/sink.ts';
import type { DemoFlags } from '../flags/others.ts';
import type { Action, CommandContext } from './context.ts';
import { showLoginTime } from './demo-jit.ts';
import {
  createdBy,
  createShow,
  type DemoStage,
  findRealm,
  lastOf,
  migrateWords,
  type RunVerb,
  token,
} from './demo-steps.ts';

/** Users and their passwords, in Keycloak and afterwards. */
const logins = ['user,password', 'ada,harbour-lights-1', 'ben,ben-2-the-bench'];

const pageName = 'cutover.html';

export const demo: Action<DemoFlags & { readonly run: RunVerb }> = async (
  { run, jit = false, page },
  context,
) => {
  const { clock, emit } = context;
  const sink = page === undefined ? undefined : openPage(page, jit, context);
  const startedAt = clock.monotonic();
  const folder = mkdtempSync(join(tmpdir(), 'idport-demo-'));
  const server = createReferenceServer({ orgId: '1', tokens: { iamOwner: token }, tellProfile: true });
  try {
    const { url } = await server.listen({ port: 0 });
    const show = jit ? showLoginTime : showMigration;
    await show({ run, context, folder, url, realm: findRealm(folder) });
    await sink?.write(readFileSync(join(folder, pageName)));
    await sink?.commit();
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const kept = sink === undefined ? {} : { page: sink.name };
  emit({ type: 'demo:end', seconds: (clock.monotonic() - startedAt) / 1000, jit, ...kept });
  return ExitCode.done;
};

function openPage(page: string, jit: boolean, { outputs }: CommandContext): Sink {
  if (jit) throw new UsageError('--page belongs to the demo without --jit');
  if (extname(page).toLowerCase() === '.html') return outputs.open(page);
  throw new UsageError(`--page ${page}: the name of a page must end in .html`);
}

async function showMigration(stage: DemoStage): Promise<void> {
  const { folder, url } = stage;
  writeFileSync(join(folder, 'logins.csv'), logins.join('\n'));
  const show = createShow(stage, 7);

  const converted = await show.run('Convert the export of Keycloak', [
    ...migrateWords(stage),
    '--report=migrate.json',
  ]);
  const { read, rejected, skipped, passwords, refusals, ...tally } = lastOf(converted, 'run:end').tally;
  const hashes = [...passwords].filter(([algorithm]) => algorithm !== 'none');
  show.result(
    `${formatCounted(read, 'user')} read: ${createdBy(tally)} written, ${rejected} rejected, ` +
      `${skipped} skipped (a service account)`,
    `password hashes: ${hashes.map(([algorithm, count]) => `${count} ${algorithm}`).join(', ')}`,
    ...Array.from(
      refusals.values(),
      ({ count, algorithm }) => `${count} ${algorithm} left out: this target does not verify them`,
    ),
  );

  const checked = await show.run('Preflight: what will the service refuse, and who would get an email?', [
    'check',
    'importBody.json',
    `--url=${url}`,
    '--target-profile=hosted',
    '--report=check.json',
  ]);
  const refused = lastOf(checked, 'run:end').tally;
  show.result(
    `${formatCounted(refused.rejected, 'user')} would be refused, ${sumEmails(refused)} would get an email`,
  );

  const imported = await show.run('Import inside the rate limit, with a journal to resume from', [
    'import-users',
    'importBody.json',
    '--org=1',
    '--report=import.json',
  ]);
  const created = createdBy(lastOf(imported, 'run:end').tally);
  show.result(`${formatCounted(created, 'user')} created`);

  const verified = await show.run(
    'Verify: is every user there, and do the old passwords work?',
    ['verify', 'importBody.json', '--login-sample=logins.csv', '--report=verify.json'],
    [`printf '%s\\n' ${logins.join(' ')} > logins.csv`],
  );
  const { users, logins: tried } = lastOf(verified, 'verify:end');
  show.result(
    `${users.same} same, ${users.missing} missing, ${users.differs} different`,
    `${tried.succeeded} of ${formatCounted(tried.tried, 'test user')} logged in with the old password`,
  );

  const reports = ['migrate', 'check', 'import', 'verify'].map((name) => `${name}.json`);
  await show.run('Join the reports to the page that is signed off', [
    'report',
    ...reports,
    `--output=${pageName}`,
  ]);
  show.result(`${pageName}: one file, for any browser`);

  const undone = await show.run('Roll back: delete the users that the import created, and no others', [
    'undo',
    '--journal=importBody.json.users.journal',
    `--yes=${created}`,
  ]);
  const { deleted, created: all } = lastOf(undone, 'undo:end').users;
  show.result(`${deleted} of ${formatCounted(all, 'user')} deleted`);
}
