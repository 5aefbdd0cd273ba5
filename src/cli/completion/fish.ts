/** Writes a completion script for fish; it starts no other program. */
import type { FlagWords, Values, VerbWords } from './words.ts';

export function fishCompletion(verbs: readonly VerbWords[]): string {
  const names = verbs.map(({ name }) => quote(name)).filter((name) => name !== "''");
  const lines = verbs.flatMap((verb) => {
    const condition = `-n ${quote(`__idport_at ${quote(verb.name)}`)}`;
    const children = verb.verbs.map(
      ({ name, description }) => `complete -c idport ${condition} -a ${quote(name)} -d ${quote(description)}`,
    );
    return [
      ...children,
      ...(children.length === 0 ? argumentLines(condition, verb.values) : []),
      ...verb.flags.map((flag) => `complete -c idport ${condition} ${flagWords(flag)}`),
    ];
  });
  return `# Completion of idport for fish, made by \`idport completion fish\`.
# idport completion fish > ~/.config/fish/completions/idport.fish

# Whether the verb that is typed so far is this one.
function __idport_at
  set -l verbs ${names.join(' ')} help
  set -l at ''
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    if test "$word" = --config
      set skip 1
      continue
    end
    set -l next (string trim -- "$at $word")
    if contains -- "$next" $verbs
      set at "$next"
    end
  end
  test "$at" = "$argv[1]"
end

complete -c idport -f
${lines.join('\n')}
`;
}

function argumentLines(condition: string, values: Values): string[] {
  if (values === 'text') return [];
  return [`complete -c idport ${condition} ${valueWords(values)}`];
}

function flagWords({ long, description, values }: FlagWords): string {
  const value = values === undefined ? '' : ` -r ${valueWords(values)}`;
  return `-l ${quote(long.slice(2))}${value.trimEnd()} -d ${quote(description)}`;
}

function valueWords(values: Values): string {
  if (values === 'file') return '-F';
  if (values === 'folder') return "-f -a '(__fish_complete_directories)'";
  return values === 'text' ? '-f' : `-f -a ${quote(values.join(' '))}`;
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
