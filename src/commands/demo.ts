/** `idport demo`: a whole migration to the reference server in a temporary folder; with `--jit`, a login-time migration. */
import { setMaxListeners } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, isAbsolute, join, relative } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ExitCode, IdportError, UsageError } from '../errors.ts';
import type { EventOf, IdportEvent } from '../events.ts';
import type { DemoFlags } from '../flags/others.ts';
import { stopwatch } from '../lib/clock.ts';
import { formatCounted } from '../lib/format.ts';
import { isExecutable, readOwnFile } from '../lib/own-files.ts';
import { sumOf, type Tally } from '../records/tally.ts';
import { createReferenceServer } from '../server/index.ts';
import type { CommandOf, CommandContext, ProcessContext, RunVerb } from './context.ts';

const token = 'demo';

interface DemoStage {
  readonly run: RunVerb;
  readonly context: CommandContext;
  /** Temporary folder, deleted at the end. */
  readonly folder: string;
  /** Address of the reference server. */
  readonly url: string;
  /** Path of the export. */
  readonly realm: string;
}

/** Users and their passwords, which work in Keycloak and after the migration. */
const logins = ['user,password', 'ada,harbour-lights-1', 'ben,ben-2-the-bench'];

const pageName = 'cutover.html';

export const demo: CommandOf<DemoFlags & { readonly run: RunVerb }> = async ({ run, jit, page }, context) => {
  const { clock, emit } = context;
  const sink = page === undefined ? undefined : openPage(page, jit, context);
  const seconds = stopwatch(clock);
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
  emit({ type: 'demo:end', seconds: seconds(), jit, ...kept });
};

function openPage(page: string, jit: boolean, { outputs }: CommandContext) {
  if (jit) throw new UsageError('--page belongs to the demo without --jit');
  if (extname(page).toLowerCase() === '.html') return outputs.open(page);
  throw new UsageError(`--page ${page}: the name of a page must end in .html`);
}

async function showMigration(stage: DemoStage) {
  const { folder, url } = stage;
  writeFileSync(join(folder, 'logins.csv'), logins.join('\n'));
  const show = createShow(stage, 7);

  const converted = await show.run('Convert the export of Keycloak', `${convert} --report=migrate.json`);
  const { read, rejected, skipped, passwords, refusals, ...tally } = lastOf(converted, 'run:end').tally;
  const hashes = [...passwords].filter(([algorithm]) => algorithm !== 'none');
  show.result(
    `${formatCounted(read, 'user')} read: ${createdBy(tally)} written, ${rejected} rejected, ${skipped} skipped (a service account)`,
    `password hashes: ${hashes.map(([algorithm, count]) => `${count} ${algorithm}`).join(', ')}`,
    ...Array.from(
      refusals.values(),
      ({ count, algorithm }) => `${count} ${algorithm} left out: this target does not verify them`,
    ),
  );

  const checked = await show.run(
    'Preflight: what will the service refuse, and who would get an email?',
    `check importBody.json --url=${url} --target-profile=hosted --report=check.json`,
  );
  const refused = lastOf(checked, 'run:end').tally;
  show.result(
    `${formatCounted(refused.rejected, 'user')} would be refused, ${sumOf(refused.emails)} would get an email`,
  );

  const imported = await show.run(
    'Import within the rate limit, with a journal to resume from',
    'import-users importBody.json --org=1 --report=import.json',
  );
  const created = createdBy(lastOf(imported, 'run:end').tally);
  show.result(`${formatCounted(created, 'user')} created`);

  const verified = await show.run(
    'Verify: is every user there, and do the old passwords work?',
    'verify importBody.json --login-sample=logins.csv --report=verify.json',
    `printf '%s\\n' ${logins.join(' ')} > logins.csv`,
  );
  const { users, logins: tried } = lastOf(verified, 'verify:end');
  show.result(
    `${users.same} same, ${users.missing} missing, ${users.differs} different`,
    `${tried.succeeded} of ${formatCounted(tried.tried, 'test user')} logged in with the old password`,
  );

  await show.run(
    'Join the reports to the page that is signed off',
    `report migrate.json check.json import.json verify.json --output=${pageName}`,
  );
  show.result(`${pageName}: one file, for any browser`);

  const undone = await show.run(
    'Roll back: delete the users that the import created, and no others',
    `undo --journal=importBody.json.users.journal --yes=${created}`,
  );
  const { deleted, created: all } = lastOf(undone, 'undo:end').users;
  show.result(`${deleted} of ${formatCounted(all, 'user')} deleted`);
}

/**
 * A user whose hash is Argon2id with too little memory for the service. The hash of `fay`, who does not log in here, is
 * too.
 */
const user = { loginName: 'chiyo', password: 'chiyo-3-森' };
async function showLoginTime(stage: DemoStage) {
  const { url } = stage;
  const show = createShow(stage, 9);

  const converted = await show.run(
    'Convert the export of Keycloak, and list the users whose hash the service cannot verify',
    `${convert} --jit-list=jit.ndjson`,
  );
  const { read, refusals, ...tally } = lastOf(converted, 'run:end').tally;
  show.result(
    `${formatCounted(read, 'user')} read: ${createdBy(tally)} written`,
    ...Array.from(
      refusals.values(),
      ({ count, algorithm }) => `${count} ${algorithm} hashes are listed in jit.ndjson`,
    ),
  );

  const imported = await show.run(
    'Import: the listed users have no password at the service',
    'import-users importBody.json --org=1 --jit',
  );
  show.result(`${formatCounted(createdBy(lastOf(imported, 'run:end').tally), 'user')} created`);

  const receiver = await startReceiver(stage);
  try {
    const { host } = new URL(receiver.url);
    show.step('Run the receiver, in a second terminal', shown(serveLine(host), stage));
    show.result(`listening on ${receiver.url}`);

    const line = `jit setup --endpoint=${receiver.url} --signing-key-file=jit.key`;
    show.result(...(await show.run('Let the service call it at each login', line)).lines);

    show.step(
      'First login of chiyo: a wrong password, then that of Keycloak',
      loginCommand('wrong'),
      loginCommand(user.password),
    );
    show.result(await logIn(url, 'wrong'), await logIn(url, user.password));
  } finally {
    await receiver.stop();
  }

  show.step('Stop the receiver (Ctrl-C): chiyo logs in again', loginCommand(user.password));
  show.result(await logIn(url, user.password));

  const lines = ['jit status --users=jit.ndjson', 'jit remaining --users=jit.ndjson'];
  show.step('Who has migrated, and who has not?', ...lines.map((line) => shown(line, stage)));
  for (const line of lines) show.result(...(await show.silently(line)).lines);

  const removed = await show.run('End it: the service stops calling the receiver', 'jit remove');
  show.result(...removed.events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])));
}

const serveLine = (listen: string) =>
  `jit serve --verifier=hashes:jit.ndjson --signing-key-file=jit.key --listen=${listen}`;

/** Starts a receiver on a free port. Resolves once it listens. */
async function startReceiver(stage: DemoStage) {
  const stopping = new AbortController();
  let onListening: (address: string) => void = () => undefined;
  const listening = new Promise<string>((resolve) => (onListening = resolve));
  const stdout = capture((output) => {
    const [, address] = /"listening","url":"([^"]+)"/.exec(output) ?? [];
    if (address !== undefined) onListening(address);
  });
  const signal = AbortSignal.any([stage.context.signal, stopping.signal]);
  setMaxListeners(0, signal);
  const quiet = { ...quietContext(stage), emit: () => undefined, stdout, signal };
  const ended = stage.run(wordsOf(serveLine('127.0.0.1:0'), stage), quiet);
  const address = await Promise.race([
    listening,
    ended.then((exitCode) => {
      throw new IdportError('demo:failed', `idport jit serve ended with exit code ${exitCode}`);
    }),
  ]);
  return {
    url: address,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

const sessions = '/v2/sessions';

function checksOf(password: string) {
  return JSON.stringify({ checks: { user: { loginName: user.loginName }, password: { password } } });
}

function loginCommand(password: string) {
  const headers = `-H "Authorization: Bearer $IDPORT_TOKEN" -H 'Content-Type: application/json'`;
  return `curl -s $IDPORT_URL${sessions} ${headers} -d '${checksOf(password)}'`;
}

/** Logs in as the login pages of the service do. */
async function logIn(url: string, password: string) {
  const { status } = await fetch(`${url}${sessions}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: checksOf(password),
  });
  return `${password}: ${status === 201 ? 'logged in' : 'refused'} (${status})`;
}

/** Returns the path of the export, which is part of the package. `dist/commands/` has the same depth as this folder. */
function findRealm(folder: string) {
  const place = new URL('../../fixtures/keycloak/typical/realm.json', import.meta.url);
  if (!isExecutable) return fileURLToPath(place);
  const path = join(folder, 'realm.json');
  writeFileSync(path, readOwnFile(place));
  return path;
}

interface StepRun {
  readonly events: readonly IdportEvent[];
  /** Non-empty lines of standard output. */
  readonly lines: readonly string[];
}

/** Shows the steps and runs those that are a single command. The first step, which starts the service, is shown at once. */
function createShow(stage: DemoStage, of: number) {
  const { run, url } = stage;
  const { emit } = stage.context;
  const quiet = quietContext(stage);
  let number = 0;
  const silently = (line: string) => runStep(run, wordsOf(line, stage), quiet);
  const step = (title: string, ...commands: readonly string[]) =>
    emit({ type: 'demo:step', number: ++number, of, title, commands });
  step(
    'Start a service to migrate to',
    `IDPORT_SERVE_TOKEN=${token} idport serve --port=${new URL(url).port} --org=1`,
    `export IDPORT_URL=${url} IDPORT_TOKEN=${token}`,
  );
  return {
    step,
    result: (...lines: readonly string[]) => emit({ type: 'demo:result', lines }),
    silently,
    /** Shows and runs a command. `before` are commands that the user would type first. */
    run(title: string, line: string, ...before: readonly string[]) {
      step(title, ...before, shown(line, stage));
      return silently(line);
    },
  };
}

/** Stands for the path of the export, which may have blanks. */
const realmName = 'realm.json';

/** The command that converts the export. */
const convert = `migrate keycloak --org=1 --realm=${realmName} --target-profile=hosted`;

const wordsOf = (line: string, { realm }: DemoStage) =>
  line.split(' ').map((word) => word.replace(realmName, () => realm));

/** Runs a command and collects its output. Throws unless the exit code is `done`. */
async function runStep(run: RunVerb, argv: readonly string[], context: QuietContext): Promise<StepRun> {
  const events: IdportEvent[] = [];
  let output = '';
  const stdout = capture((all) => (output = all));
  const exitCode = await run(argv, { ...context, stdout, emit: (event) => events.push(event) });
  if (exitCode === ExitCode.done) return { events, lines: output.split('\n').filter((line) => line !== '') };
  throw new IdportError('demo:failed', `idport ${argv[0]} ended with exit code ${exitCode}`);
}

/** Returns a stream that calls `onWrite` with everything written so far. */
function capture(onWrite: (output: string) => void) {
  let output = '';
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      onWrite((output += chunk.toString()));
      done();
    },
  });
}

function lastOf<Type extends IdportEvent['type']>({ events }: StepRun, type: Type) {
  const found = events.findLast((event): event is EventOf<Type> => event.type === type);
  if (found === undefined) throw new Error(`there is no event ${type}`);
  return found;
}

function createdBy({ written, withNotes }: Pick<Tally, 'written' | 'withNotes'>) {
  return written + withNotes;
}

type QuietContext = Omit<ProcessContext, 'stdout' | 'emit'>;

/** Returns a context with the service and the folder of the demo, without variables and files of the user. */
function quietContext({ context, folder: cwd, url }: DemoStage): QuietContext {
  const { clock, signal, stdin } = context;
  return { clock, signal, stdin, env: { IDPORT_URL: url, IDPORT_TOKEN: token }, cwd };
}

/** Returns the command line. The path of the export is relative if it is inside the working directory. */
function shown(line: string, { context: { cwd }, realm }: DemoStage) {
  const near = relative(cwd, realm);
  const path = near.startsWith('..') || isAbsolute(near) ? realm : near;
  return `idport ${line}`.replace(realmName, () => path);
}
