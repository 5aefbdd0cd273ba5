/** `idport serve`: runs the reference server until it is stopped, and prints what a client needs. */
import { once } from 'node:events';
import { note, warning } from '../events.ts';
import { UsageError } from '../errors.ts';
import { loadProfile } from '../profiles/load.ts';
import { createReferenceServer, type InspectableServer } from '../server/index.ts';
import { isLoopback } from '../lib/private-address.ts';
import { openInput } from '../storage/open-input.ts';
import { readAll } from '../lib/input.ts';
import { printAs } from '../storage/stream-sink.ts';
import { alignColumns } from '../terminal/text.ts';
import type { CommandOf, CommandContext } from './context.ts';
import type { ServeFlags } from '../flags/others.ts';

export const serve: CommandOf<ServeFlags> = async (flags, context) => {
  const allowPrivateTargets = flags.allowPrivateTargets ?? isLoopback(flags.host);
  const { IDPORT_SERVE_TOKEN: owner, IDPORT_SERVE_CONTROL_TOKEN: control } = context.env;
  const server = createReferenceServer({
    ...settingsOf(flags),
    profile: await loadProfile(flags.profile, context.cwd),
    allowPrivateTargets,
    tokens: owner ? { iamOwner: owner } : undefined,
    controlToken: control || undefined,
    clock: context.clock,
    onLog: (text) => context.emit(note('serve:log', text)),
  });
  const { signal, stdout, outputs } = context;
  context.onEnd(() => server.close());
  const dump = outputs.openIf(flags.dump);
  if (flags.seed !== undefined) await seed(server, flags.seed, context);
  const { url } = await server.listen({
    host: flags.host,
    port: flags.port,
    ownProcess: context.ownProcess,
  });
  // Written only now: if another server has the port already, its key must stay.
  if (flags.writeKeyFile !== undefined) {
    await outputs.save(flags.writeKeyFile, `${JSON.stringify(await server.createKey())}\n`);
  }
  warn(context, flags, allowPrivateTargets);
  // JSON is one line, because programs read up to the line break.
  const serving = describe(server, url, flags);
  await printAs(context.json ? 'json' : 'text', stdout, serving, () => formatServing(serving));
  if (!signal.aborted) await once(signal, 'abort');
  await server.close();
  for await (const text of dump === undefined ? [] : server.dump()) await dump?.write(text);
  await dump?.commit();
};

function settingsOf(flags: ServeFlags) {
  const domains = (flags.externalDomain ?? '').split(',').filter(Boolean);
  return {
    ...flags,
    actions: flags.actionsFeature,
    tellProfile: true,
    domain: domains.find((name) => name !== '*'),
    hosts: [...domains, flags.host],
    orgId: flags.org,
    // Null means no limit.
    rate: flags.rate === Infinity ? null : flags.rate,
    cutAfterSeconds: flags.cutAfter && flags.cutAfter / 1000,
  };
}

/** Errors that are no problem for a seed: an organization or its first domain exists already. */
const existsAlready = ['ORG-lapo2n', 'V2-e1wse'];

async function seed(server: InspectableServer, path: string, { cwd, stdin, emit }: CommandContext) {
  const bytes = await readAll(openInput(path, { cwd, stdin }).blocks());
  let body: unknown;
  try {
    body = JSON.parse(String(bytes));
  } catch (cause) {
    throw new UsageError(`${path}: not JSON`, 'Give an import body, as `idport migrate` writes it.', cause);
  }
  const { errors = [] } = await server.seed(body);
  for (const { type, id, message } of errors) {
    if (existsAlready.some((error) => message?.includes(error))) continue;
    emit(warning('serve:seed', `seed: ${type} ${id}: ${message}`));
  }
}

/** Returns what a client needs. The tokens are valid for this server only. */
function describe(server: InspectableServer, url: string, flags: ServeFlags) {
  return {
    url,
    profile: server.state.settings.profile.name,
    orgId: server.orgId,
    instanceId: server.instanceId,
    tokens: server.tokens,
    keyFile: flags.writeKeyFile,
    control: server.controlToken && { url: `${url}/_idport/`, token: server.controlToken },
    users: server.state.store.users.size,
  };
}

const roleNames = {
  iamOwner: 'IAM_OWNER',
  iamViewer: 'IAM_OWNER_VIEWER',
  orgOwner: 'ORG_OWNER',
  nobody: 'no role',
} as const;

function formatServing(serving: ReturnType<typeof describe>) {
  const rows: [string, string][] = [
    ['organization', serving.orgId],
    ...Object.entries(roleNames).map(([key, role]): [string, string] => [
      `token, ${role}`,
      serving.tokens[key as keyof typeof roleNames],
    ]),
  ];
  if (serving.keyFile !== undefined) rows.push(['key file, IAM_OWNER', serving.keyFile]);
  if (serving.control) rows.push(['control', serving.control.url], ['token, control', serving.control.token]);
  return [
    `Serving on ${serving.url} as ${serving.profile}. Ctrl-C stops it.`,
    ...alignColumns(rows, '  '),
    'In another terminal:',
    // Alone on its line, so that it can be pasted.
    `export IDPORT_URL=${serving.url} IDPORT_TOKEN=${serving.tokens.iamOwner}`,
  ];
}

function warn({ emit }: CommandContext, flags: ServeFlags, allowPrivateTargets: boolean) {
  if (allowPrivateTargets) {
    emit(
      note(
        'serve:private-targets',
        'Targets of actions may have private addresses here; the service refuses them.',
      ),
    );
  }
  if (isLoopback(flags.host)) return;
  emit(
    warning(
      'serve:open',
      `${flags.host} can be reached from other machines. This server is for rehearsals only.`,
    ),
  );
}
