/**
 * What this server covers of the wire contract, as one table: docs/server-coverage.md is made from it,
 * and tests check it.
 */
import { callSections } from './covered/calls.ts';
import { fieldSections } from './covered/fields.ts';
import { idSections } from './covered/ids.ts';
import { ruleSections } from './covered/rules.ts';

export type { Answer, Section } from './covered/entry.ts';

export const coverage = {
  calls: callSections,
  fields: fieldSections,
  ids: idSections,
  rules: ruleSections,
};
