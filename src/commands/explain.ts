/** `idport explain`: what every code means that a screen, a report, a journal or a log shows, and what to do. */
import { remedyFor } from '../api/refusals.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { outcomes } from '../flows/jit/receive.ts';
import { undoOutcomes, verifyOutcomes } from '../records/outcomes.ts';
import { notices } from '../records/notices.ts';
import { problems } from '../records/problems.ts';
import { type Reason, reasons } from '../records/reasons.ts';
import { signInKinds, signInRemedy, signInText } from '../records/sign-in.ts';
import { print } from '../storage/stream-sink.ts';
import { systemTexts } from '../lib/system-errors.ts';
import { lineWidth, wrap } from '../terminal/text.ts';
import { webhookProblems } from '../webhooks/handler.ts';
import { serviceErrors } from '../wire/service-errors.ts';
import type { explainArgument } from '../flags/others.ts';
import type { Action } from './context.ts';

export const explain: Action<typeof explainArgument> = async ({ codes }, { stdout }) => {
  const all = explainAll();
  const find = (code: string) => {
    // Some messages contain the key of an error instead of a text: `Errors.User.NotActive`.
    const ids = Array.from(serviceErrors.values()).flatMap(({ id, key }) => (key === code ? id : []));
    const names = [code, ...ids].map(plain);
    return all.filter((entry) => names.includes(plain(entry.code)));
  };
  const chosen = codes.flatMap(find);
  const { columns } = stdout as { readonly columns?: number };
  const texts = chosen.map((entry) => describe(entry, lineWidth(columns)).join('\n'));
  if (chosen.length > 0) await print(stdout, `${texts.join('\n\n')}\n`);
  const unknown = codes.filter((code) => find(code).length === 0);
  if (unknown.length === 0) return;
  const names = all.map(({ code }) => code);
  const near = unknown.flatMap((code) =>
    nearest(plain(code), names, (word, name) => word.length > 2 && name.includes(word)),
  );
  const meant = near.length === 0 ? '' : `Did you mean ${near.join(' or ')}? `;
  throw new UsageError(
    `there is no code ${unknown.join(', ')}`,
    `${meant}docs/reasons.md and docs/api-errors.md list all.`,
  );
};

/** Normalizes a code: lower case, no brackets around an id, no `system:`. */
const plain = (code: string) => code.replaceAll(/^\(|\)$|^system:/g, '').toLowerCase();

function describe({ code, kind, cause, consequence, remedy }: Explained, width: number) {
  return [
    `${code} (${kind})`,
    ...wrap(cause, width, kind in meanings ? '  Meaning:     ' : '  Cause:       '),
    ...(consequence === '' ? [] : wrap(consequence, width, '  Consequence: ')),
    ...(remedy === '' ? [] : wrap(remedy, width, '  Remedy:      ')),
  ];
}

type Explained = ReturnType<typeof explainAll>[number];

/**
 * Lists all codes in the order of docs/reasons.md, then of docs/api-errors.md, then groups of users in reports, then
 * codes with a single sentence.
 */
export function explainAll() {
  return [
    ...Object.entries<Reason>(reasons).map(([code, { outcome, cause, consequence, remedy }]) => ({
      code,
      kind: outcome,
      cause,
      consequence,
      remedy,
    })),
    ...explainErrorIds(),
    ...signInKinds.map((kind) => ({
      code: `sign-in:${kind}`,
      kind: 'note',
      cause: `These users ${signInText(kind)}.`,
      consequence: 'Reports list them under this code.',
      remedy: signInRemedy(kind) || 'Nothing to do.',
    })),
    ...Object.entries(meanings).flatMap(([kind, texts]) =>
      Object.entries(texts).map(([code, cause]) => ({ code, kind, cause, consequence: '', remedy: '' })),
    ),
  ];
}

const textsOf = (outcomes: typeof verifyOutcomes | typeof undoOutcomes) =>
  Object.fromEntries(outcomes.map(({ name, text, remedy }) => [name, `${text}. ${remedy}`.trimEnd()]));

/** Meanings by kind and code. Together with the text that comes with the code, the meaning says what to do. */
const meanings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  notice: notices,
  error: problems,
  'outcome of a login': outcomes,
  'outcome of verify': textsOf(verifyOutcomes),
  'outcome of undo': textsOf(undoOutcomes),
  'refused call': webhookProblems,
  'error of the system': systemTexts,
};

export function explainErrorIds() {
  return Array.from(serviceErrors.values(), ({ id, help, title, meaning, consequence }) => ({
    code: id,
    kind: 'error of the service',
    cause: `${title}: ${meaning}.`,
    consequence,
    remedy: remedyFor({ id, org: '<id>' }) ?? remedies[help] ?? '',
  }));
}

/** Remedies, by the `help` of an error, for errors without a remedy in the client. */
const remedies: Readonly<Record<string, string>> = {
  hash: '`idport check` says which hashes the target takes, and which of its settings to change.',
  password: 'Choose a password that the policy of the organization takes.',
  taken: 'Nothing to do if a previous run created it; otherwise rename or remove one of the two.',
  missing: 'Check the id, or create what is missing first.',
  state: 'Unlock or reactivate the user. A user in the initial state answers the initialization email first.',
  field: 'Fix the field in the body or in the rejects file, and import that file.',
  request: 'Fix the request as the cause says, and send it again.',
};
