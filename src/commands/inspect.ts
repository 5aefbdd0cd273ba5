/** `idport inspect`: summarizes an export. */
import { UsageError } from '../errors.ts';
import type { IdportEvent } from '../events.ts';
import { createCheckOutput } from '../flows/convert/output.ts';
import { inspect, type Inspection } from '../flows/inspect/inspect.ts';
import { toMarkdown, toProviderList, toText } from '../flows/inspect/tables.ts';
import { printable } from '../lib/format.ts';
import { providers } from '../sources/providers.ts';
import { print } from '../storage/stream-sink.ts';
import type { Action } from './context.ts';
import { migrateFlags } from '../flags/conversion.ts';
import type { inspectFlags, files } from '../flags/others.ts';
import { readFlags } from '../lib/flag.ts';
import { checkPolicy, runConversion } from './convert-request.ts';
import { recogniseSource } from './find-exports.ts';
import { chooseProfile } from './service-limits.ts';
import { openProvider } from './source.ts';
import { requireRepeatable } from '../lib/input.ts';
import { filesOf } from '../flows/read/read-users.ts';

export const inspectExport: Action<typeof inspectFlags & typeof files> = async (flags, context) => {
  const { files = [], format, idps } = flags;
  if (idps && format !== 'text') throw new UsageError('--idps prints text only; leave out --format');
  const byName = flags as unknown as Readonly<Record<string, readonly string[] | undefined>>;
  const ofFlags = Object.values(providers).flatMap(({ input }) => byName[input.name] ?? []);
  const from =
    flags.from ??
    (await recogniseSource(
      [...files, ...ofFlags],
      context,
      'Name it with --from, for example --from=keycloak --realm=realm.json.',
    ));
  const { name } = providers[from].input;
  const given = byName[name] ?? [];
  const record = { ...readFlags(migrateFlags, {}), ...flags, [name]: [...given, ...files] };
  const profile = await chooseProfile(flags, context);
  const source = await openProvider(from, record, context);
  requireRepeatable(filesOf(source), 'An inspection reads its input several times');
  const quiet = {
    ...context,
    // The output itself has the counts and lists the organizations.
    emit(event: IdportEvent) {
      if (event.type === 'notice' ? event.code !== 'input:organizations' : event.type === 'run:progress')
        context.emit(event);
    },
  };
  const tally = await runConversion(
    {
      verb: 'inspect',
      source,
      policy: { ...checkPolicy(record, profile, 'keep'), onRefusedHash: 'keep' },
      hashPlain: false,
      output: createCheckOutput(0, () => Promise.resolve()),
    },
    record,
    quiet,
  );
  const found = await inspect({ ...source, targetProfile: profile.name, tally });
  await print(context.stdout, (idps ? toProviderList : formats[format])(found));
};

const formats = {
  text: toText,
  markdown: toMarkdown,
  json: (found: Inspection) => `${JSON.stringify(found, null, 2).split('\n').map(printable).join('\n')}\n`,
};
