/** The exports of fixtures/foreign-exports.yaml, which are to be taken for those of their own providers alone. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { fixture } from './folder.ts';

const shapes: Record<string, Record<string, string>> = parse(
  readFileSync(fixture('foreign-exports.yaml'), 'utf8'),
);

export const foreignExports = Object.entries(shapes).flatMap(([provider, texts]) =>
  Object.entries(texts).map(([shape, text]) => ({ name: `${provider}: ${shape}`, provider, text })),
);
