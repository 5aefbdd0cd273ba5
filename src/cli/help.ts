/** Lays out the help: required flags first, the common ones in groups; `--help=all` shows the others too. */
import { Command, Help, type HelpConfiguration, type Option } from 'commander';
import { flagsOfOthers } from '../flags/source.ts';
import type { Group } from '../lib/flag.ts';
import { groupBy } from '../lib/group-by.ts';
import type { ExportName } from '../sources/providers.ts';
import { fullName, lastWord, type VerbShape } from './shape.ts';

export const required = 'Required:';
const groups: readonly Group[] = ['Input', 'Rules', 'Target', 'Run', 'Report', 'Output', 'Options'];
const order = [required, ...groups.map((name) => `${name}:`)];

/** Flags that the help shows. `all`, which `--help=all` asks for, shows all that fit what was typed. */
export type Shows = 'common' | 'all' | 'every';

/** Settings for commander: the groups of flags in their order, and the verbs below. */
export function helpLayout(verb: VerbShape, shows: Shows): HelpConfiguration {
  return {
    showGlobalOptions: true,
    visibleOptions(command) {
      const options = Help.prototype.visibleOptions.call(this, command);
      const place = ({ helpGroupHeading = 'Options:' }: Option) => order.indexOf(helpGroupHeading);
      return options.filter(isShown(verb, shows, command)).toSorted((a, b) => place(a) - place(b));
    },
    optionDescription(option) {
      const isShort = (option.argChoices?.length ?? 0) < 10;
      return isShort ? Help.prototype.optionDescription.call(this, option) : option.description;
    },
    visibleCommands: () => listVerbs(verb),
    // Names only: flags and arguments are in the help of each verb.
    subcommandTerm: (command) => command.name(),
    groupItems: (_all, visible, getGroup) => groupBy(visible, getGroup),
    formatHelp(command, helper) {
      const text = Help.prototype.formatHelp.call(this, command, helper);
      const isVisible = isShown(verb, shows, command);
      const kinds = command.options.filter((option) => !isVisible(option)).map(kindOf(verb, command));
      const count = (kind: Kind) => kinds.filter((one) => one === kind).length;
      const [more, later] = [count('own'), count('later')];
      const lines = [
        ...(more > 0 ? [`${more} more flags: ${fullName(verb)} --help=all`] : []),
        ...(later > 0
          ? [`Flags of a conversion on the fly: ${fullName(verb)} --from=<provider> --help=all`]
          : []),
      ];
      return lines.length === 0 ? text : `${text}\n${lines.join('\n')}\n`;
    },
  };
}

/** Lists the verbs below under their headings. */
function listVerbs({ row, verbs }: VerbShape) {
  let heading = 'Commands:';
  const listed = verbs.map((below) => {
    heading = row.headings?.[lastWord(below)] ?? heading;
    return new Command(lastWord(below)).description(below.row.description).helpGroup(heading);
  });
  const help = new Command('help').description('print the help of a command').helpGroup(heading);
  return listed.length === 0 ? [] : [...listed, help];
}

/** `later`: flags for conversions, shown with --from. `foreign`: flags of other sources. */
type Kind = 'own' | 'later' | 'foreign';

export function kindOf({ row: { args, flags } }: VerbShape, command: Command): (option: Option) => Kind {
  const from = command.getOptionValue('from') as ExportName | undefined;
  if (from === undefined) {
    const isLater = (name: string) => args?.['body'] !== undefined && flags[name]?.converts === true;
    return (option) => (isLater(option.attributeName()) ? 'later' : 'own');
  }
  const foreign = flagsOfOthers(from);
  return (option) => (foreign.has(option.attributeName()) ? 'foreign' : 'own');
}

/** Returns a test of whether the help shows a flag: required and common flags, or all if asked for. */
function isShown(verb: VerbShape, shows: Shows, command: Command): (option: Option) => boolean {
  const { flags, common } = verb.row;
  if (shows === 'every') return () => true;
  const kind = kindOf(verb, command);
  if (shows === 'all' || common === undefined) return (option) => kind(option) === 'own';
  const names = new Set([...common, 'help', ...Object.keys(flags).filter((name) => flags[name]?.required)]);
  return (option) => names.has(option.attributeName());
}
