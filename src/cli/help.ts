/** Lays out the help: required flags first, the common ones in groups; `--help=all` shows the others too. */
import { type Command, Help, type HelpConfiguration, type Option } from 'commander';
import { flagsOfOthers } from '../flags/source.ts';
import type { Group } from '../lib/flag.ts';
import { groupBy } from '../lib/group-by.ts';
import type { ExportName } from '../sources/providers.ts';
import { fullName, type IdportCommand } from './command.ts';
import { rootOf } from './verb.ts';

const required = 'Required:';
const groups: readonly Group[] = ['Input', 'Rules', 'Target', 'Run', 'Report', 'Output', 'Options'];
const order = [required, ...groups.map((name) => `${name}:`)];

/** Settings for commander: `--org <id>` in the usage line, and the groups in their order. */
export const helpLayout: HelpConfiguration = {
  showGlobalOptions: true,
  sortSubcommands: false,
  // Names only: flags and arguments are in the help of each verb.
  subcommandTerm: (command) => command.name(),
  visibleOptions(command) {
    const options = Help.prototype.visibleOptions.call(this, command);
    for (const option of options) if (option.mandatory) option.helpGroup(required);
    const place = ({ helpGroupHeading = 'Options:' }: Option) => order.indexOf(helpGroupHeading);
    return options.filter(isShown(command)).toSorted((a, b) => place(a) - place(b));
  },
  optionDescription(option) {
    const isShort = (option.argChoices?.length ?? 0) < 10;
    return isShort ? Help.prototype.optionDescription.call(this, option) : option.description;
  },
  groupItems: (_all, visible, getGroup) => groupBy(visible, getGroup),
  commandUsage(command) {
    const flags = command.options.filter(({ mandatory }) => mandatory).map((option) => option.flags);
    return Help.prototype.commandUsage
      .call(this, command)
      .replace('[options]', [...flags, '[options]'].join(' '));
  },
  formatHelp(command, helper) {
    const text = Help.prototype.formatHelp.call(this, command, helper);
    const hidden = command.options.filter((option) => !isShown(command)(option));
    const kinds = hidden.map(kindOf(command));
    const count = (kind: Kind) => kinds.filter((one) => one === kind).length;
    const [more, later] = [count('own'), count('later')];
    const lines = [
      ...(more > 0 ? [`${more} more flags: ${fullName(command)} --help=all`] : []),
      ...(later > 0
        ? [`Flags of a conversion on the fly: ${fullName(command)} --from=<provider> --help=all`]
        : []),
    ];
    return lines.length === 0 ? text : `${text}\n${lines.join('\n')}\n`;
  },
};

/** `later`: flags for conversions, shown with --from. `foreign`: flags of other sources. */
type Kind = 'own' | 'later' | 'foreign';

export function kindOf(command: Command): (option: Option) => Kind {
  const { verb } = command as IdportCommand;
  const from = command.getOptionValue('from') as ExportName | undefined;
  if (from === undefined) {
    const flags = verb?.args?.['body'] && verb.flags;
    return (option) => (flags?.[option.attributeName()]?.converts === true ? 'later' : 'own');
  }
  const foreign = flagsOfOthers(from);
  return (option) => (foreign.has(option.attributeName()) ? 'foreign' : 'own');
}

/** Returns a test of whether the help shows a flag: required and common flags, or all if asked for. */
function isShown(command: Command): (option: Option) => boolean {
  const { shows } = rootOf(command) as IdportCommand;
  const { common } = (command as IdportCommand).verb ?? {};
  if (shows === 'every') return () => true;
  const kind = kindOf(command);
  if (shows === 'all' || common === undefined) return (option) => kind(option) === 'own';
  return (option) => option.mandatory || option.long === '--help' || common.includes(option.attributeName());
}
