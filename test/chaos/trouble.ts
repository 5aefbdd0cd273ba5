/** The defects that chaos finds, a sentence each. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For one life. `tidy` removes it. */
export const createLifeFolder = () => mkdtempSync(join(tmpdir(), 'idport-chaos-'));

export class Troubles {
  readonly list: string[] = [];

  /** `seen` must be true. */
  expect(seen: boolean, what: string) {
    if (!seen) this.list.push(what);
  }

  /** Both must be the same as JSON. */
  same(what: string, actual: unknown, expected: unknown) {
    const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
    this.expect(one === other, `${what}: ${one} instead of ${other}`);
  }

  /** Wherever the lines are broken. */
  says(text: string, what: string) {
    const told = text.replaceAll(/\s+/g, ' ');
    this.expect(told.includes(what), `it does not say "${what}": ${told}`);
  }

  /** The end of a life: its folder stays only where something went wrong. */
  tidy(folder: string) {
    if (this.list.length === 0) rmSync(folder, { recursive: true, force: true });
    else this.list.push(`all files of it are in ${folder}`);
  }

  /** Messages are lines without a stack, and never a secret. */
  readable(what: string, text: string, secrets: readonly string[]) {
    this.expect(!/^\s+at .*:\d+:\d+\)?$/m.test(text), `${what} shows a stack: ${text.slice(0, 400)}`);
    for (const secret of secrets) this.expect(!text.includes(secret), `${what} shows a secret`);
  }
}
