/** Lines of a shell in, the words of every simple command in them out; nothing runs, variables stay as they are. */

/** Words that may stand before a command. */
const openers = new Set(['if', 'elif', 'then', 'else', 'do', 'while', 'until', 'time', '!', 'exec', 'npx']);

/** As far as the pages need it: quotes, continued lines, pipes, lists, redirections, comments, `$(...)`. */
export function commandsIn(shell: string) {
  const found: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  let redirected = false;

  const endWord = () => {
    if (word !== undefined && !redirected) words.push(word);
    if (word !== undefined) redirected = false;
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    while (openers.has(words[0] ?? '') || /^\w+=/.test(words[0] ?? '')) words.shift();
    if (words.length > 0) found.push(words);
    words = [];
    redirected = false;
  };

  for (let i = 0; i < shell.length; i++) {
    const rest = shell.slice(i);
    const [inner] = /^\$\([^()]*\)/.exec(rest) ?? [];
    const [quoted] = /^'[^']*'|^"(?:\\.|\$\([^()]*\)|[^"\\])*"/.exec(rest) ?? [];
    const [redirect] = /^(?:\d|&)?>>?(?:&\d)?|^<(?!\()/.exec(rest) ?? [];
    const [end] = /^(?:&&|\|\||;;|[\n|;&()])/.exec(rest) ?? [];
    const character = shell[i] ?? '';
    if (rest.startsWith('\\\n')) {
      endWord();
      i++;
    } else if (inner !== undefined || quoted !== undefined) {
      const text = inner ?? quoted ?? '';
      if (!text.startsWith("'"))
        for (const [, code = ''] of text.matchAll(/\$\(([^()]*)\)/g)) found.push(...commandsIn(code));
      word = (word ?? '') + (quoted === undefined ? text : text.slice(1, -1));
      i += text.length - 1;
    } else if (character === '#' && word === undefined) {
      i += rest.search(/\n|$/) - 1;
    } else if (redirect !== undefined && (word === undefined || /^[<>&]/.test(redirect))) {
      endWord();
      redirected = !redirect.includes('&') || redirect.startsWith('&');
      i += redirect.length - 1;
    } else if (end !== undefined) {
      endCommand();
      i += end.length - 1;
    } else if (/\s/.test(character)) {
      endWord();
    } else {
      word = (word ?? '') + character;
    }
  }
  endCommand();
  return found;
}

/** The arguments of each command that is `idport`, as a fresh clone (`node bin/idport.js`) or a package has it. */
export function idportCommandsIn(shell: string) {
  return commandsIn(shell).flatMap((words) => {
    const at = words.findIndex((word) => word === 'idport' || word === 'bin/idport.js');
    const before = words.slice(0, at).filter((word) => !word.startsWith('-'));
    const isCommand = at !== -1 && (before.length === 0 || before[0] === 'node');
    return isCommand ? [words.slice(at + 1)] : [];
  });
}
