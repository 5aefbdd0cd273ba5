/** The flags that say where the users come from, out of the table of providers. */
import type { IdportCommand } from '../command.ts';
import { Option } from 'commander';
import type { PathFlag, ProviderFlag } from '../../sources/entry.ts';
import { providerNames, providers, type ExportName } from '../../sources/providers.ts';
import { append } from '../verb.ts';

/** For `migrate <provider>`: the export must be named. */
export function addProviderFlags(command: IdportCommand, name: ExportName): IdportCommand {
  const { input, companions, tables, flags } = providers[name];
  command.addOption(pathOption(input).makeOptionMandatory());
  for (const flag of companions) command.addOption(pathOption(flag));
  if (tables !== undefined) {
    command.addOption(tableOption());
    // Nothing is read then.
    command.on('option:print-map', () => {
      for (const option of command.options) option.mandatory = false;
    });
  }
  for (const flag of flags) command.addOption(option(flag));
  return addForceFlag(command);
}

export function addForceFlag(command: IdportCommand): IdportCommand {
  return command.option(
    '--force-provider',
    'read a file even if it looks like the export of another provider',
  );
}

/** For verbs that take a body, or an export to convert on the fly. */
export function addSourceFlags(command: IdportCommand): IdportCommand {
  command.choice('--from <provider>', 'convert on the fly', providerNames);
  const options = providerNames.flatMap((name) => {
    const { input, companions, tables, flags } = providers[name];
    return [
      ...[input, ...companions].map(pathOption),
      ...(tables === undefined ? [] : [tableOption()]),
      ...flags.map(option),
    ];
  });
  for (const option of mergeByName(options)) command.addOption(option);
  return addForceFlag(command);
}

function pathOption({ name, description }: PathFlag): Option {
  return new Option(`--${name} <path...>`, description).argParser(append);
}

function tableOption(): Option {
  return new Option('--table <name=path...>', 'table that the mapping joins, by its name there').argParser(
    append,
  );
}

function option({ flag, description, choices, default: value }: ProviderFlag): Option {
  const made = new Option(flag, description);
  if (choices !== undefined) made.choices(choices);
  return value === undefined ? made : made.default(value);
}

/** Providers may share a flag, such as `--users`. */
function mergeByName(options: readonly Option[]): Option[] {
  const merged = new Map<string, Option>();
  for (const option of options) {
    const name = option.attributeName();
    const first = merged.get(name);
    if (first === undefined) merged.set(name, option);
    else if (!first.description.split('; or ').includes(option.description)) {
      first.description += `; or ${option.description}`;
    }
  }
  return [...merged.values()];
}
