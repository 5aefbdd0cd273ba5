/** The closed set of steps that a value can pass, each of which takes time that grows with the length of the text. */
import { type ApplyStep, onText, plainSteps } from './plain-steps.ts';
import { MappingProblem } from './problem.ts';
import { longestText } from './paths.ts';
import type { Step } from './value-schema.ts';

type StepObject = Exclude<Step, string>;
type Makers = { readonly [Key in keyof StepObject]-?: (argument: NonNullable<StepObject[Key]>) => ApplyStep };

/** Throws `MappingProblem`. */
export function compileStep(step: Step, place: string): ApplyStep {
  if (typeof step === 'string') return plainSteps[step];
  const given = Object.entries(step).filter(([, argument]) => argument !== undefined);
  const [[key, argument] = ['', '']] = given;
  const make =
    given.length === 1
      ? (makers as Readonly<Record<string, (argument: unknown) => ApplyStep>>)[key]
      : undefined;
  if (make !== undefined) return make(argument);
  throw new MappingProblem(
    place,
    'a step has one key',
    'Write several steps as a list: [trim, { prefix: "x" }].',
  );
}

const makers: Makers = {
  prefix: (front) => onText((text) => (text === '' ? '' : front + text)),
  suffix: (end) => onText((text) => (text === '' ? '' : text + end)),
  'strip-prefix': (front) => onText((text) => (text.startsWith(front) ? text.slice(front.length) : text)),
  'strip-suffix': (end) =>
    onText((text) => (text.endsWith(end) ? text.slice(0, text.length - end.length) : text)),
  before: (mark) => onText((text) => (text.includes(mark) ? text.slice(0, text.indexOf(mark)) : text)),
  after: (mark) =>
    onText((text) => (text.includes(mark) ? text.slice(text.indexOf(mark) + mark.length) : text)),
  split: (separator) =>
    onText((text) =>
      text
        .split(separator)
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    ),
  take: (at) => (value) => (Array.isArray(value) ? (value.at(at) as unknown) : value),
  join: (between) => (value) => (Array.isArray(value) ? joinTexts(value.filter(isText), between) : value),
  default: (fallback) => (value) =>
    value === '' || value === undefined || value === null ? fallback : value,
  'url-param': (name) => onText((text) => readParameter(text, name)),
  replace: ([from, to]) => onText((text) => joinTexts(text.split(from), to)),
};

function joinTexts(texts: readonly string[], between: string) {
  const [first = '', ...others] = texts;
  let joined = first;
  for (const text of others) {
    if (joined.length > longestText) break;
    joined += between + text;
  }
  return joined.slice(0, longestText);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function readParameter(text: string, name: string) {
  const query = text.slice(text.indexOf('?') + 1, longestText);
  return text.includes('?') ? (new URLSearchParams(query).get(name) ?? '') : '';
}
