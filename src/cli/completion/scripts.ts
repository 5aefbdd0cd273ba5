/** The completion scripts, which ask idport what may follow, and let the shell complete files and folders. */
import type { Action } from '../../commands/context.ts';
import { ExitCode } from '../../errors.ts';
import { print } from '../../storage/stream-sink.ts';

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
export const completion: Action<{ readonly shell: keyof typeof scripts }> = async ({ shell }, { stdout }) => {
  await print(stdout, scripts[shell]);
  return ExitCode.done;
};
