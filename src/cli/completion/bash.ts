/** Writes a completion script for bash: 3.2 and newer, and it starts no other program. */
import { shellQuoted } from '../../lib/shell-word.ts';
import { patternOfVariadic } from './words.ts';
import type { Values, VerbWords } from './words.ts';

export function bashCompletion(verbs: readonly VerbWords[]): string {
  return `# Completion of idport for bash, made by \`idport completion bash\`.
# In ~/.bashrc: source <(idport completion bash)

# The words that may follow a verb.
_idport_verbs() {
  case "$1" in
${cases(verbs, (verb) => [[shellQuoted(verb.name), verb.verbs.map(({ name }) => name).join(' ')]])}
    *) REPLY= ;;
  esac
}

# The flags of a verb.
_idport_flags() {
  case "$1" in
${cases(verbs, (verb) => [[shellQuoted(verb.name), verb.flags.map(({ long }) => long).join(' ')]])}
    *) REPLY= ;;
  esac
}

# What an argument of a verb, or the value of a flag of it, may be.
_idport_values() {
  case "$1" in
${cases(verbs, (verb) => [
  [shellQuoted(verb.name), toWord(verb.values)],
  ...verb.flags.flatMap(({ long, values }): Case[] =>
    values === undefined ? [] : [[shellQuoted(`${verb.name} ${long}`), toWord(values)]],
  ),
])}
    *) REPLY= ;;
  esac
}

# Flags that take several values, one after the other.
_idport_takes_several() {
  case "$1" in
    ${patternOfVariadic(verbs)}) return 0 ;;
    *) return 1 ;;
  esac
}

${driver}`;
}

/** Finds the verb and the flag before the cursor, then asks the tables above. */
const driver = `_idport() {
  local verb= flag= prefix= word at=1 REPLY IFS=$' \\t\\n'
  local cur="\${COMP_WORDS[COMP_CWORD]}"
  while [ "$at" -lt "$COMP_CWORD" ]; do
    word="\${COMP_WORDS[at]}"
    _idport_verbs "$verb"
    case "$word" in
      --*) flag="$word" ;;
      =) ;;
      *)
        case " $REPLY " in
          *" $word "*) if [ "$flag" != --config ]; then verb="\${verb:+$verb }$word"; fi ;;
        esac
        if ! _idport_takes_several "$verb $flag"; then flag=; fi
        ;;
    esac
    at=$((at + 1))
  done
  if [ "$cur" = = ]; then cur=; fi
  case "$cur" in
    --*=*)
      # Where COMP_WORDBREAKS has no equals sign.
      flag="\${cur%%=*}"
      prefix="$flag="
      cur="\${cur#*=}"
      ;;
    -*)
      _idport_flags "$verb"
      COMPREPLY=($(compgen -W "$REPLY" -- "$cur"))
      return
      ;;
  esac
  REPLY=
  if [ -n "$flag" ]; then _idport_values "$verb $flag"; fi
  if [ -z "$REPLY" ]; then
    _idport_verbs "$verb"
    if [ -z "$REPLY" ]; then _idport_values "$verb"; fi
  fi
  IFS=$'\\n'
  case "$REPLY" in
    @file) COMPREPLY=($(compgen -f -- "$cur")); compopt -o filenames 2> /dev/null ;;
    @folder) COMPREPLY=($(compgen -d -- "$cur")); compopt -o filenames 2> /dev/null ;;
    @text) COMPREPLY=() ;;
    *) IFS=$' \\t\\n'; COMPREPLY=($(compgen -W "$REPLY" -- "$cur")) ;;
  esac
  if [ -n "$prefix" ]; then COMPREPLY=("\${COMPREPLY[@]/#/$prefix}"); fi
}

complete -F _idport idport
`;

type Case = readonly [pattern: string, reply: string];

/** Patterns with the same answer share a line; what has no answer is left to the last line. */
function cases(verbs: readonly VerbWords[], toCases: (verb: VerbWords) => readonly Case[]): string {
  const patterns = new Map<string, string[]>();
  for (const [pattern, reply] of verbs.flatMap(toCases)) {
    if (reply !== '') patterns.set(reply, [...(patterns.get(reply) ?? []), pattern]);
  }
  return [...patterns]
    .map(([reply, names]) => `    ${names.join('|')}) REPLY=${shellQuoted(reply)} ;;`)
    .join('\n');
}

function toWord(values: Values): string {
  return typeof values === 'string' ? `@${values}` : values.join(' ');
}
