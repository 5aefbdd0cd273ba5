/** `idport explain`: prints cause, consequence and remedy of codes. */
import type { Writable } from 'node:stream';
import { ExitCode, UsageError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { print } from '../storage/stream-sink.ts';
import { lineWidth, wrap } from '../terminal/text.ts';
import type { ExplainFlags } from '../flags/others.ts';
import type { Action } from './context.ts';
import { explainAll, type Explained } from './explained.ts';

export const explain: Action<ExplainFlags> = async (
  { codes = [], list = false },
  { stdout, json = false },
) => {
  const all = explainAll();
  if (codes.length === 0 && !list) {
    throw new UsageError('there is no code to explain', {
      hint: 'Name one, for example `idport explain password:none`; `idport explain --list` shows all.',
    });
  }
  const known = new Map(all.map((entry) => [entry.code.toLowerCase(), entry]));
  const chosen = codes.length === 0 ? all : codes.flatMap((code) => known.get(plain(code)) ?? []);
  if (chosen.length > 0) await print(stdout, format(chosen, { list, json, width: widthOf(stdout) }));
  const unknown = codes.filter((code) => !known.has(plain(code)));
  if (unknown.length === 0) return ExitCode.done;
  const names = all.map(({ code }) => code);
  const near = unknown.flatMap((code) =>
    nearest(plain(code), names, (word, name) => word.length > 2 && name.includes(word)),
  );
  const meant = near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `;
  throw new UsageError(`there is no code ${unknown.join(', ')}`, {
    hint: `${meant}\`idport explain --list\` shows all.`,
  });
};

/** Without case, and the brackets that a message has around an id. */
const plain = (code: string): string => code.replaceAll(/^\(|\)$/g, '').toLowerCase();

function format(
  entries: readonly Explained[],
  { list, json, width }: { list: boolean; json: boolean; width: number },
): string {
  if (json) return `${JSON.stringify(entries, null, 2)}\n`;
  if (!list) return `${entries.map((entry) => describe(entry, width).join('\n')).join('\n\n')}\n`;
  const column = Math.max(...entries.map(({ code }) => code.length));
  return entries.map(({ code, cause }) => `${code.padEnd(column)}  ${cause}\n`).join('');
}

function describe({ code, kind, cause, consequence, remedy }: Explained, width: number): string[] {
  return [
    `${code} (${kind})`,
    ...wrap(cause, width, '  Cause:       '),
    ...wrap(consequence, width, '  Consequence: '),
    ...wrap(remedy, width, '  Remedy:      '),
  ];
}

function widthOf(stdout: Writable & { readonly columns?: number }): number {
  return lineWidth(stdout.columns);
}
