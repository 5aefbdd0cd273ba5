/** `idport demo`: a whole migration against the reference server, in a temporary folder; with `--jit` one at the logins. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { ExitCode, UsageError } from '../errors.ts';
import type { IdportEvent } from '../events.ts';
import { formatCounted } from '../lib/quantity.ts';
import { createReferenceServer } from '../server/index.ts';
import type { Sink } from '../lib/sink.ts';
import { openOutput } from '../storage/open-output.ts';
import type { Action, CommandContext } from './context.ts';
import { showLoginTime } from './demo-jit.ts';
import {
  createdBy,
  findRealm,
  lastOf,
  type DemoStage,
  quietContext,
  type RunVerb,
  runStep,
  shown,
  startOfService,
  token,
} from './demo-steps.ts';

/** What two users of that realm log in with, in Keycloak and afterwards. */
const logins = ['user,password', 'ada,harbour-lights-1', 'ben,ben-2-the-bench'];

const pageName = 'cutover.html';

interface Step {
  readonly title: string;
  /** What has to be typed first. */
  readonly before?: string;
  readonly argv: (
    known: Pick<DemoStage, 'url' | 'realm'> & { readonly created: number },
  ) => readonly string[];
  /** What is worth saying of its events. */
  readonly results: (events: readonly IdportEvent[]) => readonly string[];
}

const steps: readonly Step[] = [
  {
    title: 'Convert the export of Keycloak',
    argv: ({ realm }) => [
      'migrate',
      'keycloak',
      '--org=1',
      `--realm=${realm}`,
      '--target-profile=hosted',
      '--report=migrate.json',
    ],
    results(events) {
      const { read, rejected, skipped, passwords, refusals, ...tally } = lastOf(events, 'run:end').tally;
      const hashes = [...passwords].filter(([algorithm]) => algorithm !== 'none');
      return [
        `${formatCounted(read, 'user')} read: ${createdBy(tally)} written, ${rejected} rejected, ` +
          `${skipped} skipped (a service account)`,
        `password hashes: ${hashes.map(([algorithm, count]) => `${count} ${algorithm}`).join(', ')}`,
        ...Array.from(
          refusals.values(),
          ({ count, algorithm }) => `${count} ${algorithm} not taken: this target does not verify them`,
        ),
      ];
    },
  },
  {
    title: 'Preflight: what will the service refuse, and who would get an email?',
    argv: ({ url }) => [
      'check',
      'importBody.json',
      `--url=${url}`,
      '--target-profile=hosted',
      '--report=check.json',
    ],
    results(events) {
      const { rejected, emails } = lastOf(events, 'run:end').tally;
      const sent = [...emails.values()].reduce((sum, count) => sum + count, 0);
      return [`${formatCounted(rejected, 'user')} would be refused, ${sent} would get an email`];
    },
  },
  {
    title: 'Import inside the rate limit, with a journal to resume from',
    argv: () => ['import-users', 'importBody.json', '--org=1', '--report=import.json'],
    results: (events) => [`${formatCounted(createdBy(lastOf(events, 'run:end').tally), 'user')} created`],
  },
  {
    title: 'Verify: is every user there, and do the old passwords work?',
    before: `printf '%s\\n' ${logins.join(' ')} > logins.csv`,
    argv: () => ['verify', 'importBody.json', '--login-sample=logins.csv', '--report=verify.json'],
    results(events) {
      const { users, logins } = lastOf(events, 'verify:end');
      return [
        `${users.same} same, ${users.missing} missing, ${users.differs} different`,
        `${logins.succeeded} of ${formatCounted(logins.tried, 'test user')} logged in with the old password`,
      ];
    },
  },
  {
    title: 'Join the reports to the page that is signed off',
    argv: () => [
      'report',
      'migrate.json',
      'check.json',
      'import.json',
      'verify.json',
      `--output=${pageName}`,
    ],
    results: () => [`${pageName}: one file, for any browser`],
  },
  {
    title: 'Roll back: delete the users that the import created, and no others',
    argv: ({ created }) => ['undo', '--journal=importBody.json.users.journal', `--yes=${created}`],
    results(events) {
      const { deleted, created } = lastOf(events, 'undo:end').users;
      return [`${deleted} of ${formatCounted(created, 'user')} deleted`];
    },
  },
];

export interface DemoFlags {
  readonly run: RunVerb;
  readonly jit?: boolean;
  /** Where the page of the migration is kept. */
  readonly page?: string;
}

export const demo: Action<DemoFlags> = async ({ run, jit = false, page }, context) => {
  const { clock, emit } = context;
  const sink = page === undefined ? undefined : openPage(page, jit, context);
  const startedAt = clock.monotonic();
  const folder = mkdtempSync(join(tmpdir(), 'idport-demo-'));
  const server = createReferenceServer({ orgId: '1', tokens: { iamOwner: token } });
  try {
    const { url } = await server.listen({ port: 0 });
    const show = jit ? showLoginTime : showMigration;
    await show({ run, context, folder, url, realm: findRealm(folder) });
    await sink?.write(readFileSync(join(folder, pageName)));
    await sink?.commit();
  } finally {
    sink?.discard();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const kept = sink === undefined ? {} : { page: sink.name };
  emit({ type: 'demo:end', seconds: (clock.monotonic() - startedAt) / 1000, jit, ...kept });
  return ExitCode.done;
};

function openPage(page: string, jit: boolean, { cwd }: CommandContext): Sink {
  if (jit) throw new UsageError('--page belongs to the demo without --jit');
  if (extname(page).toLowerCase() === '.html') return openOutput(page, { cwd });
  throw new UsageError(`--page ${page}: the name of a page must end in .html`);
}

async function showMigration(stage: DemoStage): Promise<void> {
  const { run, context, folder, url, realm } = stage;
  const { emit } = context;
  const of = steps.length + 1;
  writeFileSync(join(folder, 'logins.csv'), logins.join('\n'));
  emit({ type: 'demo:step', number: 1, of, ...startOfService(url) });
  let created = 0;
  for (const [at, { title, before, argv, results }] of steps.entries()) {
    const words = argv({ url, realm, created });
    const commands = [...(before === undefined ? [] : [before]), shown(words, stage)];
    emit({ type: 'demo:step', number: at + 2, of, title, commands });
    const { events } = await runStep(run, words, quietContext(context, folder, url));
    const end = events.findLast(({ type }) => type === 'run:end');
    if (end?.type === 'run:end') created = createdBy(end.tally);
    emit({ type: 'demo:result', lines: results(events) });
  }
}
