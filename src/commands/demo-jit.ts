/** `idport demo --jit`: users whose password hashes cannot move log in with their old password at the first try. */
import { setMaxListeners } from 'node:events';
import { Writable } from 'node:stream';
import { IdportError } from '../errors.ts';
import { formatCounted } from '../lib/quantity.ts';
import {
  createdBy,
  createShow,
  type DemoStage,
  lastOf,
  migrateWords,
  quietContext,
  shown,
  token,
} from './demo-steps.ts';

/** Their hash is Argon2id with too little memory for the service; so is that of `fay`, who does not log in here. */
const user = { loginName: 'chiyo', password: 'chiyo-3-森' };
const list = '--users=jit.ndjson';

export async function showLoginTime(stage: DemoStage): Promise<void> {
  const { url } = stage;
  const show = createShow(stage, 9);

  const converted = await show.run(
    'Convert the export of Keycloak, and list the users whose hash the service cannot verify',
    [...migrateWords(stage), '--jit-list=jit.ndjson'],
  );
  const { read, refusals, ...tally } = lastOf(converted, 'run:end').tally;
  show.result(
    `${formatCounted(read, 'user')} read: ${createdBy(tally)} written`,
    ...Array.from(
      refusals.values(),
      ({ count, algorithm }) => `${count} ${algorithm} hashes are listed in jit.ndjson`,
    ),
  );

  const imported = await show.run('Import: the listed users have no password at the service', [
    'import-users',
    'importBody.json',
    '--org=1',
    '--jit',
  ]);
  show.result(`${formatCounted(createdBy(lastOf(imported, 'run:end').tally), 'user')} created`);

  const receiver = await startReceiver(stage);
  try {
    const { host } = new URL(receiver.url);
    show.step('Run the receiver, in a second terminal', shown(serveWords(host), stage));
    show.result(`listening on ${receiver.url}`);

    const key = '--signing-key-file=jit.key';
    const words = ['jit', 'setup', `--endpoint=${receiver.url}`, key];
    show.result(...(await show.run('Let the service call it at each login', words)).lines);

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

  const status = ['jit', 'status', list];
  const remaining = ['jit', 'remaining', list];
  show.step('Who has migrated, and who has not?', shown(status, stage), shown(remaining, stage));
  for (const argv of [status, remaining]) show.result(...(await show.silently(...argv)).lines);

  const removed = await show.run('End it: the service stops calling the receiver', ['jit', 'remove']);
  show.result(...removed.events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])));
}

function serveWords(listen: string): string[] {
  return ['jit', 'serve', '--verifier=hashes:jit.ndjson', '--signing-key-file=jit.key', `--listen=${listen}`];
}

/** Resolves when it listens on a free port. */
async function startReceiver(stage: DemoStage) {
  const stopping = new AbortController();
  let output = '';
  let onListening: (address: string) => void = () => undefined;
  const listening = new Promise<string>((resolve) => (onListening = resolve));
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      output += chunk.toString();
      const [, address] = /"listening","url":"([^"]+)"/.exec(output) ?? [];
      if (address !== undefined) onListening(address);
      done();
    },
  });
  const signal = AbortSignal.any([stage.context.signal, stopping.signal]);
  setMaxListeners(0, signal);
  const quiet = { ...quietContext(stage), emit: () => undefined, stdout, signal };
  const ended = stage.run(serveWords('127.0.0.1:0'), quiet);
  const address = await Promise.race([
    listening,
    ended.then((exitCode) => {
      throw new IdportError('demo:failed', `idport jit serve ended with exit code ${exitCode}`);
    }),
  ]);
  return {
    url: address,
    async stop(): Promise<void> {
      stopping.abort();
      await ended;
    },
  };
}

const sessions = '/v2/sessions';

function checksOf(password: string): string {
  return JSON.stringify({ checks: { user: { loginName: user.loginName }, password: { password } } });
}

function loginCommand(password: string): string {
  const headers = `-H "Authorization: Bearer $IDPORT_TOKEN" -H 'Content-Type: application/json'`;
  return `curl -s $IDPORT_URL${sessions} ${headers} -d '${checksOf(password)}'`;
}

/** Logs in as the login pages of the service do. */
async function logIn(url: string, password: string): Promise<string> {
  const { status } = await fetch(`${url}${sessions}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: checksOf(password),
  });
  return `${password}: ${status === 201 ? 'logged in' : 'refused'} (${status})`;
}
