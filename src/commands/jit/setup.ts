/** `idport jit setup`, `status`, `remaining` and `remove`: make the service call the receiver, show how far it is, and end it. */
import { existsSync } from 'node:fs';
import { note, warning } from '../../events.ts';
import { resolve } from 'node:path';
import { ExitCode } from '../../errors.ts';
import type { Client } from '../../api/client.ts';
import {
  readSetup,
  setUp,
  takeDown,
  type SetupState,
  type LoginPolicies,
  readLoginPolicies,
} from '../../flows/jit/setup.ts';
import { lookAtFirst, hasOwnPassword, requireIds, findUserOf } from '../../flows/jit/listed-users.ts';
import { createLoginService, type ServiceUser } from '../../flows/jit/service.ts';
import { listOrgIds } from '../../flows/preflight/check-orgs.ts';
import { muteOrgs, policyPath, readMuted } from '../../flows/messages/password-emails.ts';
import { printLines, print, printLine } from '../../storage/stream-sink.ts';
import { isLoopback } from '../../lib/private-address.ts';
import { groupBy } from '../../lib/group-by.ts';
import { formatCount, formatCounted, formatNames, shellWord } from '../../lib/format.ts';
import { loginPagesHint } from '../../records/placeholder-password.ts';
import { createActionsApi } from '../../api/actions/index.ts';
import { connect } from '../connect.ts';
import type { jitRemoveFlags, JitSetupFlags, jitStatusFlags, jitRemainingFlags } from '../../flags/jit.ts';
import type { Action, CommandOf, CommandContext } from '../context.ts';
import { notAgain, openKeyOutput } from '../actions/target.ts';
import { unmute } from '../muted.ts';
import { openList } from './verifiers.ts';
import { readAllMigrated } from './serve.ts';
import { count } from '../../records/tally.ts';
import { encodeRow } from '../../lib/csv.ts';

export const setUpJit: CommandOf<JitSetupFlags> = async (flags, context) => {
  const { endpoint, timeout: timeoutMs } = flags;
  const muted = resolve(context.cwd, flags.muted);
  context.outputs.claim('the list of muted organizations', flags.muted);
  const client = await connect(flags, context);
  // Opened first, so that nothing is muted if the key cannot be written.
  const take = openKeyOutput(
    flags,
    context,
    `${notAgain} If it is lost, run idport jit remove, then idport jit setup.`,
    true,
  );
  const { muteOrg = [] } = flags;
  const toMute = muteOrg.includes('all') ? await listOrgIds(client, policyPath) : muteOrg;
  await muteOrgs(client, toMute, muted);
  const state = await setUp(createActionsApi(client, flags.api), {
    name: flags.name,
    endpoint: endpoint.href,
    timeoutMs,
    onKey: async (signingKey) => void (await take(signingKey)),
  });
  await printLines(context.stdout, linesOf(state));
  for (const text of describeMuted(mutedIn(muted))) context.emit(note('emails:muted', text));
  if (endpoint.protocol === 'http:' && !isLoopback(endpoint.hostname)) {
    const text = `The service sends passwords to ${endpoint.host} without TLS. Give an address with https.`;
    context.emit(warning('jit:plain-endpoint', text));
  }
  // With a list, its first users are looked up instead, and a warning counts those without a password.
  const hint = flags.users === undefined ? ` ${loginPagesHint}` : '';
  context.emit(
    note(
      'jit:old-login',
      `Logins through the session API reach the receiver; the old built-in login pages do not.${hint}`,
    ),
  );
  const orgs = await warnOfLoginPages(flags, client, context);
  warningsOf(await readPoliciesOf([...orgs, ...toMute], client)).forEach(context.emit);
  context.emit(
    note(
      'jit:denied-hosts',
      'The service refuses targets at private addresses. To allow one, set a deny list without it, for example ZITADEL_HTTPCLIENT_DENYLIST=192.0.2.1/32; an empty list is ignored.',
    ),
  );
};

/** Reads the login policies of organizations. Without any, reads the default of the instance. */
async function readPoliciesOf(orgs: Iterable<string>, client: Client) {
  const ids = [...new Set(orgs)];
  const found: LoginPolicies[] = [];
  for (const org of ids.length === 0 ? [undefined] : ids) found.push(await readLoginPolicies(client, org));
  return found;
}

function warningsOf(policies: readonly LoginPolicies[]) {
  const alike = groupBy(policies, ({ sendsEmail, lockedAfter }) => `${sendsEmail} ${lockedAfter}`);
  return [...alike.values()].flatMap((some) => {
    const [{ org, sendsEmail, lockedAfter }] = some as [LoginPolicies];
    const orgs = formatNames(some.map((one) => one.org ?? ''));
    const where = org === undefined ? 'By default' : `In organization${some.length > 1 ? 's' : ''} ${orgs}`;
    const emails =
      sendsEmail === undefined
        ? `${where}, this token cannot read whether users get an email when their password changes. If they do, each user who migrates gets one.`
        : `${where}, each user who migrates gets the email "Password of user has changed". Switch it off until jit remove with --mute-org=${some.length > 1 ? 'all' : (org ?? '<id>')}.`;
    const lockout = `${where}, ${lockedAfter} wrong passwords lock a user, and the login pages check each twice. While the receiver is down, right passwords of users with a placeholder count as wrong: switch lockout off, or raise it, until the end.`;
    return [
      ...(sendsEmail === false ? [] : [warning('jit:password-emails', emails)]),
      ...(lockedAfter === 0 ? [] : [warning('jit:lockout', lockout)]),
    ];
  });
}

/** Returns the organizations that setup has muted. */
const mutedIn = (file: string) => [...new Set(readMuted(file).map(({ org }) => org))];

const describeMuted = (orgs: readonly string[]) =>
  orgs.length === 0
    ? []
    : [`Until jit remove, no email about changed passwords is sent in organization ${formatNames(orgs)}.`];

/** Asks the service whether the first users of the list have a password. Returns their organizations. */
async function warnOfLoginPages(flags: JitSetupFlags, client: Client, context: CommandContext) {
  if (flags.users === undefined) return new Set<string>();
  const list = await openList(flags.users, flags.idMap, context);
  const { looked, without, orgs } = await lookAtFirst(list, createLoginService(client));
  if (looked === 0) {
    context.emit(
      warning('jit:login-pages', `The service has none of the first users of ${flags.users} yet.`),
    );
  } else if (without > 0) {
    const text = `${without} of ${formatCounted(looked, 'user')} at the top of the list have no password at the service. Its login pages (Login V2) do not ask them for one, so they cannot migrate. Convert with --jit-placeholder, or use login pages of your own.`;
    context.emit(warning('jit:login-pages', text));
  }
  return orgs;
}

export const removeJit: Action<typeof jitRemoveFlags> = async (flags, context) => {
  const before = await takeDown(createActionsApi(await connect(flags, context), flags.api), flags.name);
  const removed = `Target ${flags.name} was deleted and removed from executions. Other targets are unchanged.`;
  context.emit(
    before.target === undefined
      ? note('jit:none', `There is no target ${flags.name}; nothing was changed.`)
      : note('jit:removed', removed),
  );
  await unmute(flags, resolve(context.cwd, flags.muted), context);
};

/** Resolves to `differs` unless the service calls the receiver at both methods. */
export const showJitStatus: Action<typeof jitStatusFlags> = async (flags, context) => {
  const client = await connect(flags, context);
  const state = await readSetup(createActionsApi(client, flags.api), flags.name);
  const days = new Map<string, number>();
  let migrated = 0;
  let unlisted = 0;
  const list = flags.users === undefined ? undefined : await openList(flags.users, flags.idMap, context);
  const service = createLoginService(client);
  await readAllMigrated(flags, { client, service }, context, ({ at, id }) => {
    if (list?.hasId(id) === false) return void unlisted++;
    migrated++;
    count(days, at.slice(0, 10));
  });
  const muted = mutedIn(resolve(context.cwd, flags.muted));
  const warnings = warningsOf(await readPoliciesOf([...(flags.org ?? []), ...muted], client));
  const newIds = flags.idMap === undefined ? ', or under a new id, for which --id-map is needed' : '';
  const isSet = state.executions.every((execution) => execution.isSet);
  // Without a journal the count is not known: the users may have migrated with that of another folder or machine.
  const isKnown = migrated + unlisted > 0 || existsSync(resolve(context.cwd, flags.journal));
  const counted = [
    `${list === undefined ? '' : `${formatCount(migrated)} of `}${formatCounted(list?.size ?? migrated, 'user')} migrated`,
    ...[...days]
      .toSorted(([day], [other]) => day.localeCompare(other))
      .map(([day, users]) => `  ${day}  ${formatCount(users)}`),
    ...(unlisted === 0
      ? []
      : [`${formatCounted(unlisted, 'user')} migrated without being on the list${newIds}`]),
    ...(list === undefined
      ? []
      : [
          `${formatCount(list.size - migrated)} not yet: idport jit remaining --users=${shellWord(flags.users!)} lists them`,
        ]),
  ];
  await printLines(context.stdout, [
    ...linesOf(state),
    ...(isKnown
      ? counted
      : [`${flags.journal} does not exist: to count who has migrated, name the receiver's with --journal`]),
    ...describeMuted(muted),
    ...warnings.map(({ text }) => text),
  ]);
  return isSet ? ExitCode.done : ExitCode.differs;
};

function linesOf({ target, executions }: SetupState) {
  const first =
    target === undefined
      ? 'no target yet; create one with idport jit setup'
      : `target ${target.name} (${target.id}): ${target.endpoint}, timeout ${target.timeoutMs / 1000}s`;
  const calls = executions.map(
    ({ method, isSet }) =>
      `request ${method}: ${isSet ? 'calls the receiver' : 'does not call the receiver'}`,
  );
  return [first, ...calls];
}

/** Asks the service about each user who is neither in the journal nor in the shared state. */
export const listRemaining: Action<typeof jitRemainingFlags> = async (flags, context) => {
  const { stdout } = context;
  const list = await openList(flags.users, flags.idMap, context);
  const client = await connect(flags, context);
  const service = createLoginService(client);
  await requireIds(list, service);
  const done = await readAllMigrated(flags, { client, service }, context);
  if (flags.csv) await print(stdout, encodeRow(['id', 'user_name', 'email', 'state']));
  let remaining = 0;
  for await (const listed of list.all()) {
    const { id, userName } = listed;
    if (id !== '' && done.has(id)) continue;
    const user = await findUserOf(listed, service);
    if (user !== undefined && (done.has(user.id) || (await hasOwnPassword(user.id, listed, service))))
      continue;
    remaining++;
    const cells = [user?.id ?? id, user?.userName ?? userName, user?.email ?? '', stateOf(user)];
    if (flags.csv) await print(stdout, encodeRow(cells));
    else await printLine(stdout, cells.filter((cell) => cell !== '').join('  '));
  }
  if (!flags.csv) {
    await printLine(
      stdout,
      `${formatCount(remaining)} of ${formatCounted(list.size, 'user')} without a password of their own`,
    );
  }
};

function stateOf(user: ServiceUser | undefined) {
  if (user === undefined) return 'not found';
  return user.isActive ? 'active' : 'not active';
}
