/**
 * A cursor over the text of a dump. It reads words, names, signs and quoted texts, and after each of them skips white space
 * and comments.
 */

import { escapes } from '../../rows.ts';

/** Thrown if the text ends in the middle of a token. More text may follow. */
export class EndOfText extends Error {}

/** Thrown for what would lose rows. Becomes an `InputError` with the line of `at`, by default that of the cursor's start. */
export class BrokenDump extends Error {
  readonly at: number | undefined;

  constructor(problem: string, at?: number) {
    super(problem);
    this.at = at;
  }
}

interface Dialect {
  /** MySQL: backslashes escape in texts, and `$` does not start a quote. */
  readonly isMySql: boolean;
  /** No more text follows. */
  readonly isLast: boolean;
}

type TokenKind = 'text' | 'name' | 'word' | 'sign';

const blanks = /\s*/y;
/** Matches an executable comment. MySQL runs its content, so rows in it are real. */
const executed = /(?=\/\*M?!\d*\s*(?:(?:INSERT|REPLACE)\b|[,(]))/iy;
const word = /[\w$#@\u0080-\uffff]+/y;
const dollars = /\$(?:[A-Za-z_]\w*)?\$/y;
const plain = /[^'"\\]*/y;
const closing: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}', '<': '>' };

export class SqlCursor {
  readonly text: string;
  at: number;
  /** Where reading begins again once there is more text. Everything before it has been read. */
  start: number;
  readonly dialect: Dialect;

  constructor(text: string, at: number, dialect: Dialect) {
    this.text = text;
    this.at = at;
    this.start = at;
    this.dialect = dialect;
  }

  get isAtEnd() {
    return this.at >= this.text.length;
  }

  /** Returns the current character, or an empty text at the end of the whole dump. */
  peek() {
    if (this.isAtEnd && !this.dialect.isLast) throw new EndOfText();
    return this.text.charAt(this.at);
  }

  /** Returns what the sticky pattern matches here. Throws `EndOfText` if the match may continue in further text. */
  match(pattern: RegExp) {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [];
    if (found === undefined) return undefined;
    this.at += found.length;
    if (this.isAtEnd && !this.dialect.isLast) throw new EndOfText();
    return found;
  }

  /** Skips white space and comments. */
  skipBlanks() {
    for (;;) {
      blanks.lastIndex = this.at;
      this.at += blanks.exec(this.text)?.[0].length ?? 0;
      const letter = this.text[this.at];
      if (letter === '#' && (this.dialect.isMySql || this.isAtLineStart())) this.line();
      else if (letter !== '-' && letter !== '/') return;
      else if (this.at + 1 === this.text.length && !this.dialect.isLast) throw new EndOfText();
      else if (this.text.startsWith('--', this.at)) this.line();
      else if (this.match(executed) !== undefined) return;
      else if (this.text.startsWith('/*', this.at)) this.#skipComment();
      else return;
    }
  }

  isAtLineStart() {
    let before = this.at - 1;
    while (before >= 0 && ' \t\r'.includes(this.text[before]!)) before--;
    return before < 0 || this.text[before] === '\n';
  }

  /** Reads the rest of the line, and returns it without its line end. */
  line() {
    const { text, at } = this;
    const feed = text.indexOf('\n', at);
    if (feed === -1 && !this.dialect.isLast) throw new EndOfText();
    const end = feed === -1 ? text.length : feed;
    this.at = Math.min(end + 1, text.length);
    return text.slice(at, text[end - 1] === '\r' ? end - 1 : end);
  }

  /** Skips a comment. Comments nest in PostgreSQL and SQL Server, but not in MySQL. */
  #skipComment() {
    const start = this.at;
    let depth = 0;
    do {
      const sign = /\/\*|\*\//g;
      sign.lastIndex = this.at;
      const found = sign.exec(this.text);
      if (found === null) {
        this.at = start;
        throw new EndOfText();
      }
      if (found[0] === '*/') depth -= 1;
      else if (depth === 0 || !this.dialect.isMySql) depth += 1;
      this.at = sign.lastIndex;
    } while (depth > 0);
  }

  #to(end: string, from: number) {
    const found = this.text.indexOf(end, from);
    if (found === -1) throw new EndOfText();
    this.at = found + end.length;
  }

  /** Skips the current character and the blanks after it. */
  skip() {
    this.at++;
    this.skipBlanks();
  }

  /** Reads a word and returns it in capitals, or undefined. */
  word() {
    const found = this.match(word)?.toUpperCase();
    if (found !== undefined) this.skipBlanks();
    return found;
  }

  /** Skips the word if it matches, and reports whether it did. */
  matchWord(pattern: RegExp) {
    const start = this.at;
    const found = this.word();
    if (found !== undefined && pattern.test(found)) return true;
    this.at = start;
    return false;
  }

  /** Skips all matching words. */
  skipWords(pattern: RegExp) {
    while (this.matchWord(pattern));
  }

  /** Reads a name and returns it with its schema, unquoted: `auth.users`. Returns undefined if there is none. */
  name() {
    const parts: string[] = [];
    for (;;) {
      const part = this.#part();
      if (part === undefined) return undefined;
      parts.push(part);
      this.skipBlanks();
      if (this.peek() !== '.') return parts.join('.');
      this.skip();
    }
  }

  #part() {
    const letter = this.peek();
    if (letter === '"' || letter === '`') return this.quoted(false);
    if (letter !== '[') return this.match(word);
    const start = this.at + 1;
    this.#to(']', start);
    return this.text.slice(start, this.at - 1);
  }

  /** Reads names in parentheses. Returns undefined for anything else. */
  names() {
    const names: string[] = [];
    do {
      this.skip();
      const name = this.name();
      if (name === undefined) return undefined;
      names.push(name);
    } while (this.peek() === ',');
    if (this.peek() !== ')') return undefined;
    this.skip();
    return names;
  }

  /** Reads the quoted text that starts here. A doubled quote stands for one. */
  quoted(hasEscapes: boolean) {
    const mark = this.peek();
    const start = this.at + 1;
    for (let at = start; ;) {
      if (hasEscapes) {
        plain.lastIndex = at;
        // Nothing matches after a backslash at the end of the text.
        at += plain.exec(this.text)?.[0].length ?? 0;
      } else at = this.text.indexOf(mark, at);
      if (at === -1 || at >= this.text.length) throw new EndOfText();
      if (this.text[at] === '\\') at += 2;
      else if (this.text[at] !== mark) at++;
      else if (at + 1 === this.text.length && !this.dialect.isLast) throw new EndOfText();
      else if (this.text[at + 1] === mark) at += 2;
      else {
        this.at = at + 1;
        return unescapeText(this.text.slice(start, at), mark, hasEscapes);
      }
    }
  }

  /** Reads an Oracle text such as `q'[it's]'`. Returns undefined for anything else. */
  oracleText() {
    if (this.match(/N?Q'/iy) === undefined) return undefined;
    const mark = this.peek();
    const start = this.at + 1;
    this.#to(`${closing[mark] ?? mark}'`, start);
    return this.text.slice(start, this.at - 2);
  }

  token(): { readonly kind: TokenKind; readonly text: string } {
    const start = this.at;
    const kind = this.#skipToken();
    const text = this.text.slice(start, this.at);
    this.skipBlanks();
    return { kind, text };
  }

  #skipToken(): TokenKind {
    const letter = this.peek();
    if (letter === "'") {
      this.quoted(this.dialect.isMySql || /(?<!\w)E$/i.test(this.text.slice(this.at - 2, this.at)));
      return 'text';
    }
    if (letter === '"' || letter === '`') {
      this.quoted(letter === '"' && this.dialect.isMySql);
      return 'name';
    }
    const tag = letter === '$' && !this.dialect.isMySql ? this.match(dollars) : undefined;
    if (tag !== undefined) {
      this.#to(tag, this.at);
      return 'text';
    }
    if (this.oracleText() !== undefined) return 'text';
    if (this.match(word) !== undefined) return 'word';
    this.at++;
    return 'sign';
  }

  /** Moves just past the next such sign, without skipping blanks after it. */
  skipTo(sign: string) {
    while (this.peek() !== sign) {
      if (this.isAtEnd) throw new EndOfText();
      this.token();
    }
    this.at++;
  }
}

function unescapeText(text: string, mark: string, hasEscapes: boolean) {
  if (!hasEscapes || !text.includes('\\')) return text.replaceAll(mark + mark, mark);
  return text.replace(/(['"])\1|\\([^])/g, (pair, quote?: string, letter?: string) => {
    if (letter !== undefined) return escapes[letter] ?? letter;
    return quote === mark ? quote : pair;
  });
}
