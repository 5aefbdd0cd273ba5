/** How the help is laid out: required flags first, the others in groups. */
import { Help, type HelpConfiguration, type Option } from 'commander';
import { providers } from '../sources/providers.ts';
import { pathOf } from './verb.ts';

const required = 'Required:';
const others = 'Options:';

/** The groups in their order, for the verbs with many flags. */
const groups: Readonly<Record<string, string>> = {
  'Input:':
    'from files rehearsal environment offline force-provider table exclude limit offset user shard only-failed since-journal v1 details export all ' +
    'from-url from-token-file from-key-file with-passwords with-otp passwords otp split-by-org',
  'What is written:':
    'name-fallback email-fallback email-domain email-verified default-region disabled without-password ' +
    'metadata idp idp-map create-idps idp-secrets plain-passwords on-refused-hash pbkdf2-encoding duplicates on-existing ids id-prefix create-org rename-org skip phone ' +
    'route jit max-emails allow-emails email-after max-without-password max-sms allow-sms mute-password-emails send-verification changed created-orgs yes allow-extra',
  'Target:':
    'org org-by org-map create-orgs memberships further-memberships roles role-map role-members apps url token-file token key-file client-id client-secret-file to-url to-token-file to-key-file ' +
    'target-profile api rate rate-store concurrency budget wait chunk-users chunk-bytes chunk-seconds timeout gcs gcs-key ' +
    'max-errors',
  'Report:':
    'report rejects id-map app-secrets mail-list sample price-per-request login-sample list prove prove-password',
  'Output:':
    'output idps multiline jit-list jit-placeholder via download journal resume fresh steal-lock dry-run threads format force',
};

const grouped = new Set(
  'migrate check import import-users verify undo export copy init inspect runs'.split(' '),
);

const headings = new Map<string, string>(
  Object.entries(groups).flatMap(([heading, names]) =>
    names.split(' ').map((name): [string, string] => [name, heading]),
  ),
);

/** What only a provider has. */
function isOfProviders(name: string): boolean {
  return Object.values(providers).some(
    ({ input, companions, flags }) =>
      [input, ...companions].some((path) => path.name === name) ||
      flags.some(({ flag }) => nameOf(flag) === name),
  );
}

/** Above which its flag stands in the help. `verb` is the first word of the command. */
export function headingOf({ long, mandatory }: Option, verb: string): string {
  if (mandatory) return required;
  if (!grouped.has(verb)) return others;
  const name = nameOf(long ?? '');
  return isOfProviders(name) ? 'Input:' : (headings.get(name) ?? others);
}

function nameOf(flag: string): string {
  return flag.replace(/^--(?:no-)?/, '').replace(/ .*$/s, '');
}

const order = [required, ...Object.keys(groups), others];

/** For commander: `--org <id>` in the usage line, and the groups in their order. */
export const helpLayout: HelpConfiguration = {
  showGlobalOptions: true,
  sortSubcommands: false,
  // Its flags and arguments stand in its own help: the list of all stays short.
  subcommandTerm: (command) => command.name(),
  visibleOptions(command) {
    const [verb = ''] = pathOf(command);
    const options = Help.prototype.visibleOptions.call(this, command);
    for (const option of options) option.helpGroup(headingOf(option, verb));
    const place = ({ helpGroupHeading = others }: Option): number => order.indexOf(helpGroupHeading);
    return options.toSorted((a, b) => place(a) - place(b));
  },
  groupItems(_all, visible, getGroup) {
    const found = new Map<string, (typeof visible)[number][]>();
    for (const item of visible) found.set(getGroup(item), [...(found.get(getGroup(item)) ?? []), item]);
    return found;
  },
  commandUsage(command) {
    const flags = command.options.filter(({ mandatory }) => mandatory).map((option) => option.flags);
    return Help.prototype.commandUsage
      .call(this, command)
      .replace('[options]', [...flags, '[options]'].join(' '));
  },
};
