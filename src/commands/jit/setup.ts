/** `idport jit setup`, `status` and `remove`: the receiver at the service. */
import { ExitCode } from '../../errors.ts';
import type { ActionsApi } from '../../api/actions/types.ts';
import { readSetup, setUp, takeDown, type SetupState } from '../../flows/jit/setup.ts';
import { countWithoutPassword } from '../../flows/jit/own-password.ts';
import { createLoginService } from '../../flows/jit/service.ts';
import { print } from '../../storage/stream-sink.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { formatCounted } from '../../lib/quantity.ts';
import { loginPagesHint } from '../../records/placeholder-password.ts';
import { connect } from '../connect.ts';
import type { ConnectionFlags } from '../connection-flags.ts';
import type { Action, CommandContext } from '../context.ts';
import { withActionsApi, type ServiceFlags } from '../actions/actions-api.ts';
import { openKeyOutput } from '../actions/key-output.ts';
import { readDuration, readUrl } from '../values.ts';
import { openList } from './verifiers.ts';
import { readAllMigrated, type SharedStateFlags } from './shared-state.ts';
import { notify, type OutputFormat } from '../actions/output.ts';

/** The flags of the connection as everywhere, and the generation of the actions API. */
interface JitServiceFlags extends ConnectionFlags {
  readonly api: ServiceFlags['api'];
}

export interface JitSetupFlags extends JitServiceFlags {
  readonly endpoint: string;
  readonly name: string;
  readonly timeout: string;
  readonly signingKeyFile: string;
  readonly users?: string;
  readonly idMap?: readonly string[];
  readonly format: OutputFormat;
}

export const setUpJit: Action<JitSetupFlags> = async (flags, context) => {
  const endpoint = readUrl('--endpoint', flags.endpoint);
  const timeoutMs = readDuration('--timeout', flags.timeout);
  const key = openKeyOutput({ keyFile: flags.signingKeyFile }, context, true);
  try {
    const state = await withApi(flags, context, (api) =>
      setUp(api, {
        name: flags.name,
        endpoint: endpoint.href,
        timeoutMs,
        onKey: async (signingKey) => void (await key.take(signingKey)),
      }),
    );
    await print(context.stdout, show(state, flags.format));
  } finally {
    key.discard();
  }
  if (endpoint.protocol === 'http:' && !isLoopback(endpoint.hostname)) {
    const text = `The service sends passwords to ${endpoint.host} without TLS. Give an address with https.`;
    notify(context, 'warning', 'jit:plain-endpoint', text);
  }
  notify(
    context,
    'info',
    'jit:old-login',
    `Logins through the session API reach the receiver; the old built-in login pages do not. ${loginPagesHint}`,
  );
  await warnOfLoginPages(flags, context);
  notify(
    context,
    'info',
    'jit:denied-hosts',
    'The service refuses targets at private addresses. To allow one, set a deny list without it, for example ZITADEL_HTTPCLIENT_DENYLIST=192.0.2.1/32; an empty list is ignored.',
  );
  return ExitCode.done;
};

/** Asks the service whether the first users of the list have a password. */
async function warnOfLoginPages(flags: JitSetupFlags, context: CommandContext): Promise<void> {
  if (flags.users === undefined) return;
  const list = await openList(flags.users, flags.idMap, context.cwd);
  const client = await connect(flags, context);
  try {
    const { looked, without } = await countWithoutPassword(list, createLoginService(client));
    const found = `${without} of ${formatCounted(looked, 'user')} looked at`;
    if (looked === 0) {
      notify(
        context,
        'warning',
        'jit:login-pages',
        `${flags.users}: the service has none of its first users yet.`,
      );
    } else if (without > 0) {
      const text = `${found} have no password at the service, so its login pages (Login V2) ask them for none, and they cannot come over. Convert with --jit-placeholder, or use login pages of your own.`;
      notify(context, 'warning', 'jit:login-pages', text);
    }
  } finally {
    await client.close();
    await list.close();
  }
}

export interface JitRemoveFlags extends JitServiceFlags {
  readonly name: string;
  readonly format: OutputFormat;
}

export const removeJit: Action<JitRemoveFlags> = async (flags, context) => {
  const before = await withApi(flags, context, (api) => takeDown(api, flags.name));
  if (before.target === undefined) {
    notify(context, 'info', 'jit:none', `There is no target ${flags.name}; nothing was changed.`);
  } else {
    const text = `Target ${flags.name} is deleted, and no execution calls it. Other targets are as they were.`;
    notify(context, 'info', 'jit:removed', text);
  }
  return ExitCode.done;
};

export interface JitStatusFlags extends JitServiceFlags, SharedStateFlags {
  readonly name: string;
  readonly users?: string;
  readonly journal: string;
  readonly format: OutputFormat;
}

/** Exit code 4 where the receiver is not set at both calls. */
export const showJitStatus: Action<JitStatusFlags> = async (flags, context) => {
  const state = await withApi(flags, context, (api) => readSetup(api, flags.name));
  const service = flags.url ?? context.env['IDPORT_URL'] ?? '';
  const days: Record<string, number> = {};
  let migrated = 0;
  let unlisted = 0;
  await readAllMigrated(flags, service, context, ({ at, listed = true }) => {
    if (!listed && flags.users !== undefined) {
      unlisted++;
      return;
    }
    migrated++;
    const day = at.slice(0, 10);
    days[day] = (days[day] ?? 0) + 1;
  });
  const listed = await countListed(flags.users, context);
  const remaining = listed === undefined ? undefined : Math.max(0, listed - migrated);
  const isSet = state.executions.every((execution) => execution.isSet);
  const lines =
    flags.format === 'json'
      ? `${JSON.stringify({ ...describe(state), migrated, unlisted, listed, remaining, days })}\n`
      : [
          show(state, 'text').trimEnd(),
          `${formatCounted(migrated, 'user')}${listed === undefined ? '' : ` of ${listed}`} migrated`,
          ...Object.entries(days)
            .toSorted(([day], [other]) => (day < other ? -1 : 1))
            .map(([day, count]) => `  ${day}  ${count}`),
          ...(unlisted === 0 ? [] : [`${formatCounted(unlisted, 'user')} beside the list migrated`]),
          ...(remaining === undefined
            ? []
            : [`${remaining} not yet; for a list: idport jit remaining --users ${flags.users}`]),
          '',
        ].join('\n');
  await print(context.stdout, lines);
  return isSet ? ExitCode.done : ExitCode.differs;
};

function withApi<Value>(
  { keyFile, ...flags }: JitServiceFlags,
  context: CommandContext,
  use: (api: ActionsApi) => Promise<Value>,
): Promise<Value> {
  return withActionsApi({ ...flags, userKeyFile: keyFile }, context, use);
}

async function countListed(file: string | undefined, { cwd }: CommandContext): Promise<number | undefined> {
  if (file === undefined) return undefined;
  const list = await openList(file, undefined, cwd);
  await list.close();
  return list.size;
}

function describe({ target, executions }: SetupState) {
  return {
    target:
      target === undefined
        ? null
        : { id: target.id, name: target.name, endpoint: target.endpoint, timeoutMs: target.timeoutMs },
    executions: executions.map(({ method, isSet, targets }) => ({ method, isSet, targets })),
  };
}

function show(state: SetupState, format: OutputFormat): string {
  if (format === 'json') return `${JSON.stringify(describe(state))}\n`;
  const { target } = state;
  const first =
    target === undefined
      ? 'no target'
      : `target ${target.name} (${target.id}): ${target.endpoint}, timeout ${target.timeoutMs / 1000}s`;
  const executions = state.executions.map(
    ({ method, isSet }) =>
      `request ${method}: ${isSet ? 'calls the receiver' : 'does not call the receiver'}`,
  );
  return `${[first, ...executions].join('\n')}\n`;
}
