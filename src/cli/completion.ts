/**
 * Completes a command line. The scripts ask with `IDPORT_COMPLETE=<shell>` what may follow, and let the shell complete files and
 * folders.
 */
import type { Action } from '../commands/context.ts';
import type { shellArgument } from '../flags/others.ts';
import { print } from '../storage/stream-sink.ts';
import { type FlagShape, lastWord, type VerbShape } from './shape.ts';

/** For bash 3.2 and newer. */
const bash = `# Completion of idport for bash, made by \`idport completion bash\`.
# In ~/.bashrc: source <(idport completion bash)
_idport() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prefix= IFS=$'\\n'
  local answer=($(IDPORT_COMPLETE=bash idport "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null))
  if [ "$cur" = = ]; then cur=; fi
  case "$cur" in
    # Where COMP_WORDBREAKS has no equals sign.
    --*=*) prefix="\${cur%%=*}="; cur="\${cur#*=}" ;;
  esac
  case "\${answer[0]}" in
    @file) COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames 2> /dev/null ;;
    @folder) COMPREPLY=($(compgen -d -- "$cur")); compopt -o filenames 2> /dev/null ;;
    *) COMPREPLY=("\${answer[@]}") ;;
  esac
  if [ -n "$prefix" ]; then COMPREPLY=("\${COMPREPLY[@]/#/$prefix}"); fi
}

complete -F _idport idport
`;

const zsh = `#compdef idport
# Completion of idport for zsh, made by \`idport completion zsh\`.
# In ~/.zshrc, after compinit: source <(idport completion zsh)
_idport() {
  local -a answer
  answer=("\${(@f)$(IDPORT_COMPLETE=zsh idport "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ "\${words[CURRENT]}" == --*=* ]]; then compset -P '*='; fi
  case "\${answer[1]}" in
    @file) _files ;;
    @folder) _files -/ ;;
    ?*) _describe idport answer ;;
  esac
}

if [[ "\${funcstack[1]}" == _idport ]]; then _idport "$@"; else compdef _idport idport; fi
`;

const fish = `# Completion of idport for fish, made by \`idport completion fish\`.
# idport completion fish > ~/.config/fish/completions/idport.fish
function __idport_complete
  set -l current (commandline -ct)
  set -l before (commandline -opc)
  set -l prefix ''
  set -l answer (IDPORT_COMPLETE=fish idport $before[2..-1] "$current" 2> /dev/null)
  if string match -qr -- '^--[^=]*=' "$current"
    set prefix (string replace -r -- '=.*' = "$current")
    set current (string replace -- "$prefix" '' "$current")
  end
  switch "$answer[1]"
    case @file
      set answer (__fish_complete_path "$current")
    case @folder
      set answer (__fish_complete_directories "$current" '')
  end
  for line in $answer
    printf '%s%s\\n' "$prefix" "$line"
  end
end

complete -c idport -f -a '(__idport_complete)'
`;

const scripts = { bash, zsh, fish };

/** `idport completion`. */
export const completion: Action<typeof shellArgument> = ({ shell }, { stdout }) =>
  print(stdout, scripts[shell]);

interface Offer {
  readonly word: string;
  readonly help: string;
}

/** Words, or a request that the shell lists files or folders. */
type Offers = readonly Offer[] | '@file' | '@folder';

/** Returns what may follow. `typed` ends with the word before the cursor, which may be empty. */
export function offersFor(program: VerbShape, typed: readonly string[]): Offers {
  const words = joinValues(typed);
  const last = words.pop() ?? '';
  let verb = program;
  /** The flag whose value comes next. */
  let open: FlagShape | undefined;
  for (const word of words) {
    if (word.startsWith('-')) open = flagOf(word, verb, program);
    else if (open === undefined) verb = verb.below(word) ?? verb;
    else if (!open.variadic) open = undefined;
  }
  const [flag = '', value] = last.split(/=(.*)/s);
  if (value !== undefined) return beginning(value, valuesOf(flagOf(flag, verb, program)));
  if (last.startsWith('-')) return beginning(last, flagsOf(verb, program));
  if (open !== undefined) return beginning(last, valuesOf(open));
  if (verb.verbs.length === 0) return beginning(last, valuesOf(verb.arguments[0]));
  const below = verb.verbs.map((one) => ({ word: lastWord(one), help: one.row.description }));
  return beginning(last, verb === program ? [...below, helpVerb] : below);
}

const helpVerb = { word: 'help', help: 'print the help of a command' };

/** Writes a line for each word, with its help if the shell shows help. */
export function formatOffers(offers: Offers, shell: string) {
  if (typeof offers === 'string') return `${offers}\n`;
  return offers.map((offer) => `${lines[shell]?.(offer) ?? offer.word}\n`).join('');
}

const lines: Readonly<Record<string, (offer: Offer) => string>> = {
  // `_describe` takes the first colon for the end of the word.
  zsh: ({ word, help }) => `${word.replaceAll(':', String.raw`\:`)}:${help}`,
  fish: ({ word, help }) => `${word}\t${help}`,
};

/** Joins `--flag=value`, which bash passes in three words. */
function joinValues(words: readonly string[]) {
  const joined: string[] = [];
  for (const [at, word] of words.entries()) {
    const isPart = word === '=' || words[at - 1] === '=';
    if (isPart && joined.at(-1)?.startsWith('--')) joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
  }
  return joined;
}

/** Returns the flag whose value follows. Undefined if the flag takes no value or already has one. */
function flagOf(word: string, verb: VerbShape, program: VerbShape) {
  return [...verb.flags, ...program.flags].find(({ long, takes }) => long === word && takes === 'needed');
}

function flagsOf(verb: VerbShape, program: VerbShape): Offer[] {
  const own = verb === program ? [parsed('--version', 'print the version')] : verb.flags;
  const others = [parsed('--no-config', 'ignore the configuration file'), parsed('--help', 'print help')];
  return [...own, ...program.flags, ...others].map(({ long: word, help }) => ({ word, help }));
}

/** Describes a switch that commander adds by itself. */
const parsed = (long: string, help: string) => ({ long, help });

function valuesOf(flag: FlagShape | undefined): Offers {
  if (flag?.choices !== undefined) return flag.choices.map((word) => ({ word, help: '' }));
  if (flag?.place === undefined) return [];
  return flag.place === 'folder' ? '@folder' : '@file';
}

const beginning = (text: string, offers: Offers): Offers =>
  typeof offers === 'string' ? offers : offers.filter(({ word }) => word.startsWith(text));
