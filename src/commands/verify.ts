/** `idport verify`: a body, or an export to convert on the fly, in; a line for everybody who is not at the target as expected out. */
import { ExitCode, UsageError } from '../errors.ts';
import { readIdMap } from '../flows/id-map.ts';
import { parseLoginSample, proveLogins } from '../flows/verify/login-sample.ts';
import { verifyPeople, type VerifyCounts, type VerifyLine } from '../flows/verify/verify.ts';
import { formatCount } from '../lib/quantity.ts';
import { readOrgIds } from '../sources/body/provider.ts';
import { print } from '../storage/print.ts';
import { connect, type ConnectionFlags } from './connect.ts';
import type { Action } from './context.ts';
import { checkPolicy } from './convert-request.ts';
import { readText } from './read-text.ts';
import { chooseProfile, speedOptions, type SpeedFlags } from './service-limits.ts';
import { openSource, type OpenedSource, type SourceFlags } from './source.ts';

export interface VerifyFlags extends SourceFlags, ConnectionFlags, Pick<SpeedFlags, 'rate' | 'budget'> {
  readonly org?: readonly string[];
  readonly idMap?: string;
  /** False after `--no-export`. */
  readonly export: boolean;
  readonly all?: boolean;
  readonly allowExtra?: boolean;
  readonly loginSample?: string;
}

export const verify: Action<VerifyFlags> = async (flags, context) => {
  const { emit, cwd, clock } = context;
  const startedAt = clock.monotonic();
  const read = (path: string): string => readText(path, cwd);
  const sample =
    flags.loginSample === undefined ? [] : parseLoginSample(flags.loginSample, read(flags.loginSample));
  const newIds = flags.idMap === undefined ? [] : readIdMap(flags.idMap, read(flags.idMap));
  const opened = await openSource(flags, context);
  refuseStreams(opened);
  const orgs = flags.org ?? (await namedOrgs(opened));
  const policy = await checkPolicy(flags, cwd);
  const { provider, options, inputs, companions } = opened;
  const profile = await chooseProfile(undefined, flags.url ?? context.env['IDPORT_URL'], cwd);
  const client = await connect(flags, context, speedOptions(flags, profile));
  try {
    const counts = await verifyPeople(
      {
        source: {
          provider,
          options,
          inputs,
          companions,
          policy: provider === 'body' ? { ...policy, onRefusedHash: 'keep' } : policy,
          duplicates: 'reject',
        },
        client,
        orgs,
        newIds,
        withExport: flags.export,
        all: flags.all ?? false,
        print: (line) => print(context.stdout, `${formatLine(line)}\n`),
      },
      context,
    );
    const refused = await proveLogins(client, orgs, sample, (line) =>
      print(context.stdout, `${formatLine(line)}\n`),
    );
    const seconds = (clock.monotonic() - startedAt) / 1000;
    emit({
      type: 'notice',
      level: 'info',
      code: 'verify:end',
      text: summary(counts, sample.length, refused, seconds),
    });
    const { missing, differs, unknown } = counts;
    const extra = flags.allowExtra === true ? 0 : counts.extra;
    return missing + differs + unknown + extra + refused > 0 ? ExitCode.differs : ExitCode.done;
  } finally {
    await client.close();
  }
};

/** `* old-1 ann: e-mail, state`. */
function formatLine({ sign, id, userName, detail }: VerifyLine): string {
  const name = [id, userName].filter((part) => part !== '').join(' ');
  return `${sign} ${detail === '' ? name : `${name}: ${detail}`}`.replaceAll(/[\r\n]+/g, ' ');
}

function summary(counts: VerifyCounts, logins: number, refused: number, seconds: number): string {
  const parts = [
    `${formatCount(counts.same)} same`,
    `${formatCount(counts.missing)} missing`,
    `${formatCount(counts.differs)} different`,
    `${formatCount(counts.extra)} only in the target`,
    `${formatCount(counts.unknown)} unknown`,
  ];
  if (counts.accounts > 0) parts.push(`${formatCount(counts.accounts)} service accounts passed over`);
  if (logins > 0) parts.push(`${formatCount(logins - refused)} of ${formatCount(logins)} logins succeed`);
  return `${parts.join(', ')} (${seconds.toFixed(1)} s).`;
}

async function namedOrgs({ provider, inputs }: OpenedSource): Promise<string[]> {
  const [input] = inputs;
  if (provider === 'body' && input !== undefined) return readOrgIds(input);
  throw new UsageError('--org <id> is missing', {
    hint: 'An export does not say which organization has received its people.',
  });
}

/** The source is read three times, because memory has no names. */
function refuseStreams({ inputs }: OpenedSource): void {
  const stream = inputs.find(({ repeatable }) => !repeatable);
  if (stream !== undefined) {
    throw new UsageError(`${stream.name} cannot be read more than once`, { hint: 'Put it into a file.' });
  }
}
