/** Writes a completion script for zsh; it starts no other program. */
import { shellQuoted } from '../../lib/shell-word.ts';
import { patternOfVariadic } from './words.ts';
import type { Values, VerbWords } from './words.ts';

export function zshCompletion(verbs: readonly VerbWords[]): string {
  return `#compdef idport
# Completion of idport for zsh, made by \`idport completion zsh\`.
# In ~/.zshrc, after compinit: source <(idport completion zsh)

# The words that may follow a verb.
_idport_verbs() {
  reply=()
  case "$1" in
${verbs
  .filter(({ verbs }) => verbs.length > 0)
  .map((verb) => `    ${shellQuoted(verb.name)}) reply=(${described(verb.verbs)}) ;;`)
  .join('\n')}
  esac
}

# The flags of a verb.
_idport_flags() {
  reply=()
  case "$1" in
${verbs.map((verb) => `    ${shellQuoted(verb.name)}) reply=(${described(verb.flags.map(({ long, description }) => ({ name: long, description })))}) ;;`).join('\n')}
  esac
}

# Offers what an argument of a verb, or the value of a flag of it, may be; 1 where it takes none.
_idport_values() {
  case "$1" in
${verbs.flatMap(valueCases).join('\n')}
    *) return 1 ;;
  esac
  return 0
}

# Flags that take several values, one after the other.
_idport_takes_several() {
  case "$1" in
    ${patternOfVariadic(verbs)}) return 0 ;;
    *) return 1 ;;
  esac
}

_idport() {
  local verb='' flag='' word
  local -a reply
  local -i at
  for (( at = 2; at < CURRENT; at++ )); do
    word="\${words[at]}"
    case "$word" in
      --*=*) flag='' ;;
      --*) flag="$word" ;;
      *)
        _idport_verbs "$verb"
        if [[ "$flag" != --config ]] && (( \${reply[(I)\${word}:*]} )); then verb="\${verb:+$verb }$word"; fi
        _idport_takes_several "$verb $flag" || flag=''
        ;;
    esac
  done
  word="\${words[CURRENT]}"
  if [[ "$word" == --*=* ]]; then
    compset -P '*='
    _idport_values "$verb \${word%%=*}"
    return
  fi
  if [[ "$word" == -* ]]; then
    _idport_flags "$verb"
    _describe -o flag reply
    return
  fi
  if [[ -n "$flag" ]] && _idport_values "$verb $flag"; then return; fi
  _idport_verbs "$verb"
  if (( \${#reply} )); then _describe verb reply; else _idport_values "$verb"; fi
}

if [[ "\${funcstack[1]}" == _idport ]]; then _idport "$@"; else compdef _idport idport; fi
`;
}

/** \`name:description\` for _describe, which reads a colon in the name as the end of it. */
function described(words: readonly { readonly name: string; readonly description: string }[]): string {
  return words
    .map(({ name, description }) => shellQuoted(`${name.replaceAll(':', '\\:')}:${description}`))
    .join(' ');
}

function valueCases(verb: VerbWords): string[] {
  return [
    `    ${shellQuoted(verb.name)}) ${offer(verb.values)} ;;`,
    ...verb.flags.flatMap(({ long, values }) =>
      values === undefined ? [] : [`    ${shellQuoted(`${verb.name} ${long}`)}) ${offer(values)} ;;`],
    ),
  ];
}

function offer(values: Values): string {
  if (values === 'file') return '_files';
  if (values === 'folder') return '_files -/';
  return values === 'text' ? ':' : `compadd -- ${values.map(shellQuoted).join(' ')}`;
}
