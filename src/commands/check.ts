/** `idport check`: checks an import body, or an export that it converts on the fly, before the import. */
import { note, warning } from '../events.ts';
import { ExitCode, UsageError } from '../errors.ts';
import { isOverLimit } from '../flows/messages/gate.ts';
import type { ResultContext } from '../flows/report/run-outputs.ts';
import { createCheckOutput } from '../flows/convert/output.ts';
import { unknownLengths } from '../records/password-policy.ts';
import { countRejected, isWithoutUsers, sumOf } from '../records/tally.ts';
import { printJson } from '../storage/stream-sink.ts';
import type { CheckFlags } from '../flags/imports.ts';
import type { CommandOf, CommandContext } from './context.ts';
import { chooseOrg, readOrgSettings } from './choose-org.ts';
import { checkPolicy, exceedsWithoutPassword, readIdps, runConversion } from './convert-request.ts';
import { chooseProfile } from './service-limits.ts';
import { openSource } from './source.ts';
import { withBodyRule } from '../flows/read/read-users.ts';

export const check: CommandOf<CheckFlags> = async (typed, context) => {
  const limits = { emails: typed.maxEmails, sms: typed.maxSms };
  const { sample: samples = 0, pricePerRequest: price } = typed;
  const source = await openSource(typed, context);
  const profile = await chooseProfile(typed, context);
  const checked = checkPolicy(typed, profile, 'refuse');
  const policy = { ...checked, isOneCall: checked.route !== 'import' };
  const isAsked = asksService(typed, context);
  const flags =
    isAsked && typed.from !== undefined ? { ...typed, org: await chooseOrg(typed, context) } : typed;
  if (flags.orgBy !== undefined && flags.org === undefined) {
    throw new UsageError('--org-by needs --org=<id>', 'Users without an organization go there.');
  }
  const orgs = await readOrgSettings({ ...flags, org: flags.org ?? '' }, source, context);
  // Loaded late: the HTTP client takes longer to load than a small body takes to check.
  const asked = isAsked
    ? await (
        await import('./ask-target.ts')
      ).askTarget(flags, source, context, orgs && { ...source, policy, duplicates: 'reject', orgs })
    : undefined;
  const bodies = source.provider === 'body' ? source.inputs : [];
  const body = bodies.filter(({ repeatable }) => repeatable);
  const providers =
    asked?.providers &&
    (await (await lists()).allProviders(body, asked.providers, readIdps(typed, context.cwd)));
  const { foreignDomains, passwordPolicies, api } = asked ?? {};
  const inBulk = api === 'v1' && ({ route: 'import', isOneCall: false } as const);
  const judging =
    asked === undefined ? policy : { ...policy, foreignDomains, passwordPolicies, providers, ...inBulk };
  const beside = { grants: 0, bytes: 0 };
  const checkOthers = async (told: ResultContext) => {
    for (const input of body) await (await lists()).checkLists(input, providers, beside, told);
    if (body.length < bodies.length) told.log.notify(onlyUsers, told.emit);
  };
  const tally = await runConversion(
    {
      verb: 'check',
      source,
      // Because of a refused hash, the service refuses the whole user of a body.
      policy: withBodyRule(source, judging, 'refuse'),
      hashPlain: false,
      output: createCheckOutput(samples, (user) => printJson(context.stdout, user)),
      atTarget: asked?.users,
      orgs,
      forecast: { price, beside, isOlder: api === 'v1' },
      checkOthers,
    },
    flags,
    context,
  );
  const tooMany = [
    isOverLimit(tally, limits, context.emit),
    exceedsWithoutPassword(typed, tally, context),
  ].includes(true);
  // Hashes do not show the length of a password. Plain passwords are measured.
  const all = sumOf(tally.passwords) - (tally.passwords.get('none') ?? 0);
  if (all > tally.plain) context.emit(note('passwords:length', unknownLengths(all - tally.plain)));
  const refused = countRejected(tally) > 0 || isWithoutUsers(tally) || (asked?.problems ?? 0) > 0;
  if (asked?.isComplete === false) return ExitCode.notYet;
  return tooMany || refused ? ExitCode.differs : ExitCode.done;
};

const onlyUsers = warning(
  'check:users-only',
  'A body on standard input is read once: only its users are checked. Give a file to check its other entries as well.',
);

/** Reports whether to call the service. Without credentials, IDPORT_URL only chooses the profile. */
function asksService({ url, tokenFile, keyFile }: CheckFlags, { env }: CommandContext) {
  const { IDPORT_URL, IDPORT_TOKEN, IDPORT_KEY_FILE } = env;
  const credentials = [tokenFile, keyFile, IDPORT_TOKEN, IDPORT_KEY_FILE];
  return url !== undefined || (Boolean(IDPORT_URL) && credentials.some(Boolean));
}

/** Loaded late, because an export that is not compared with the service needs no schemas of it. */
const lists = () => import('../flows/preflight/check-lists.ts');
