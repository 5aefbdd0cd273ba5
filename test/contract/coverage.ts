/** What the reference server covers of the wire contract, as one table: the source of docs/server-coverage.md. */
import { errorIdSections } from '../../src/server/error-ids.ts';
import { callSections } from './calls.ts';
import type { Answer, IdEntry, Section } from './entry.ts';
import { fieldSections } from './fields.ts';
import { ruleSections } from './rules.ts';

const ownId = 'differs because the id of the service is not known';

/** Ids that this server does not answer as the service does. */
const idAnswers: Readonly<Record<string, Answer>> = {
  'ORG-lapo2m': 'no',
  'AUTH-3jknH': 'no',
  'USER-JDk4t': 'no',
  'QUERY-iTTGJ': 'no',
  'COMMAND-Df4b3': 'no',
  'IDPORT-badKey': ownId,
  'IDPORT-keyActive': ownId,
  'IDPORT-noKey': ownId,
};

export const coverage = {
  calls: callSections,
  fields: fieldSections,
  ids: errorIdSections.map(({ section, title, ids }): Section<IdEntry> => ({
    section,
    title,
    entries: ids.map((entry) => ({ ...entry, answer: idAnswers[entry.id] ?? 'yes' })),
  })),
  rules: ruleSections,
};
