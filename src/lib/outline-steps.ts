/**
 * An element in; its outline out: literal bytes by turns with what may differ in other elements that are to be treated
 * alike. What may differ are the texts of holes, and texts and whole numbers that nobody wants.
 */
import type { WantedKeys } from './json-pick.ts';
import { holeKind, type StepKind } from './stencil-layout.ts';

export interface Step {
  readonly literal: Buffer;
  readonly kind: StepKind;
  /** Where in the element that stands which may differ. */
  readonly start: number;
  /** In bytes: of a `secret`, and of what is given behind its head; else zero. */
  readonly length: number;
}

/** Something has no place in an outline, for example an escape in a text that may differ. */
const unfit = Symbol('unfit');

/** `secrets` are the texts of all holes of that kind. Undefined where there is no outline. */
export function outlineOf(
  element: Uint8Array,
  wanted: WantedKeys,
  secrets: readonly string[],
): readonly Step[] | undefined {
  const reader = new OutlineReader(Buffer.from(element), secrets);
  try {
    return reader.read(wanted);
  } catch (error) {
    if (error === unfit) return undefined;
    throw error;
  }
}

/** What is wanted of a value, as `WantedKeys` has it; nothing where it is undefined. */
type Wanted = WantedKeys[string] | undefined;

/** The grammar was checked by others. */
class OutlineReader {
  readonly #bytes: Buffer;
  readonly #secrets: string[];
  readonly #steps: Step[] = [];
  #at = 0;
  /** Of the literal bytes. */
  #from = 0;

  constructor(bytes: Buffer, secrets: readonly string[]) {
    this.#bytes = bytes;
    this.#secrets = [...secrets];
  }

  read(wanted: WantedKeys): readonly Step[] {
    this.#value(wanted);
    this.#note('end', this.#at, this.#at);
    if (this.#secrets.length > 0) throw unfit;
    return this.#steps;
  }

  #value(wanted: Wanted): void {
    switch (this.#letter()) {
      case '{':
        return this.#object(wanted);
      case '[':
        return this.#list(wanted);
      case '"':
        return this.#textValue(wanted);
      default:
        return this.#scalar(wanted);
    }
  }

  #object(wanted: Wanted): void {
    this.#at++;
    while (this.#letter() !== '}') {
      const key = this.#text();
      this.#skip(':');
      this.#value(wantedOf(wanted, key));
      this.#skip(',');
    }
    this.#at++;
  }

  #list(wanted: Wanted): void {
    const ofEach = typeof wanted === 'string' ? true : wanted;
    this.#at++;
    while (this.#letter() !== ']') {
      this.#value(ofEach);
      this.#skip(',');
    }
    this.#at++;
  }

  #textValue(wanted: Wanted): void {
    const start = this.#at + 1;
    if (typeof wanted !== 'string' && wanted !== undefined) {
      this.#passText();
      return;
    }
    if (wanted === 'secret') {
      this.#passText();
      this.#noteSecrets(start, this.#at - 1);
      return;
    }
    // Quotes and backslashes stand in a name as they do in what is made of it.
    if (wanted === 'name' || wanted === 'label') this.#passText();
    else this.#text();
    this.#note(wanted === undefined ? 'text' : (wanted as keyof typeof holeKind), start, this.#at - 1);
  }

  /** In the text between `start` and `end`, which is JSON itself and so has escapes. */
  #noteSecrets(start: number, end: number): void {
    let from = start;
    for (let secret = this.#secrets[0]; secret !== undefined; secret = this.#secrets[0]) {
      const at = this.#bytes.indexOf(`:\\"${secret}`, from, 'latin1');
      if (at === -1 || at + secret.length + 3 > end) return;
      this.#secrets.shift();
      from = at + secret.length + 3;
      this.#note('secret', at + 3, from);
    }
  }

  #scalar(wanted: Wanted): void {
    const start = this.#at;
    while (!' \n\r\t,]}'.includes(this.#byte())) this.#at++;
    const isNumber = /^-?(?:0|[1-9]\d*)$/.test(this.#bytes.toString('latin1', start, this.#at));
    if (wanted === undefined && isNumber) this.#note('number', start, this.#at);
  }

  /** Literal bytes up to `start`, and what may differ up to `end`. */
  #note(kind: StepKind, start: number, end: number): void {
    const length = kind === 'secret' ? end - start : 0;
    this.#steps.push({ literal: this.#bytes.subarray(this.#from, start), kind, start, length });
    this.#from = end;
  }

  /** One that is as it stands. */
  #text(): string {
    const start = this.#at + 1;
    this.#passText();
    const text = this.#bytes.toString('latin1', start, this.#at - 1);
    if (text.includes('\\')) throw unfit;
    return text;
  }

  #passText(): void {
    do this.#at += this.#byte() === '\\' ? 2 : 1;
    while (this.#byte() !== '"');
    this.#at++;
  }

  /** White space, and the letter if it stands there. */
  #skip(letter: string): void {
    if (this.#letter() === letter) this.#at++;
    this.#letter();
  }

  /** The next one that is no white space. */
  #letter(): string {
    while (' \n\r\t'.includes(this.#byte())) this.#at++;
    return this.#byte();
  }

  #byte(): string {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw unfit;
    return String.fromCharCode(byte);
  }
}

function wantedOf(wanted: Wanted, key: string): Wanted {
  if (typeof wanted !== 'object') return wanted === undefined ? undefined : true;
  return Object.hasOwn(wanted, key) ? wanted[key] : undefined;
}
