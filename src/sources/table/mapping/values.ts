/** Compiles values (where a field is in a row, and what is done to it) and conditions (what a rule requires of a row). */
import {
  MappingProblem,
  compileCell,
  containerOf,
  withoutColumns,
  type Get,
  type Scope,
  type Setting,
  longestText,
  no,
  nul,
  textOf,
  unsaid,
  yes,
} from './paths.ts';
import { type ApplyStep, onText, plainSteps } from './steps.ts';
import type { Step, Value, ValueObject, Condition, ConditionObject } from './value-schema.ts';
import { isObject } from '../../../lib/json-value.ts';
import { lockedHash } from '../../../records/hash-forms/rows/directories.ts';
import { readSpan, readTime } from './times.ts';

export type ReadText = (scope: Scope) => string;

/** Compiles a value that is read as text, which is empty if it is absent. Throws `MappingProblem`. */
export function compileText(value: Value, place: string, setting: Setting): ReadText {
  const get = compileValue(value, place, setting);
  return (scope) => textOf(get(scope), scope, place);
}

/** Compiles a value that is a text, a list or an object. Throws `MappingProblem`. */
export function compileValue(value: Value, place: string, setting: Setting): Get {
  if (typeof value === 'string') return compileCell(value, place, setting);
  if (Array.isArray(value))
    return firstOf(value.map((one) => compileValue(one, place, { ...setting, isAlternative: true })));
  const source = withSteps(compileSource(value, place, setting), value, place);
  if (value.when === undefined) return source;
  const test = compileCondition(value.when, `${place}.when`, { ...setting, isAlternative: false });
  return (scope) => (test(scope) ? source(scope) : '');
}

/** Compiles a value that is one text or several: a list, or a text that `split` cuts. */
export function compileTexts(
  value: Value,
  split: string | undefined,
  place: string,
  setting: Setting,
): (scope: Scope) => readonly string[] {
  const get = compileValue(value, place, setting);
  return (scope) => textsOf(get(scope), split, scope, place);
}

function textsOf(value: unknown, split: string | undefined, scope: Scope, place: string) {
  const list = containerOf(value);
  if (Array.isArray(list)) return list.map((one) => textOf(one, scope, place)).filter(Boolean);
  const text = textOf(value, scope, place);
  const parts = split === undefined ? [text] : text.split(split);
  return parts.map((part) => part.trim()).filter(Boolean);
}

function isEmpty(value: unknown) {
  if (typeof value === 'string') return value.trim() === '' || value === nul;
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function firstOf(gets: readonly Get[]): Get {
  return (scope) => {
    for (const get of gets) {
      const value = get(scope);
      if (!isEmpty(value)) return value;
    }
    return '';
  };
}

const sources = ['from', 'value', 'template', 'extract', 'first', 'all'] as const;

function compileSource(value: ValueObject, place: string, setting: Setting): Get {
  const { from, value: constant, template, extract } = value;
  const named = sources.filter((key) => value[key] !== undefined).join(' and ');
  if (named === 'value') return () => constant;
  if (named === 'template') return compileTemplate(template!, place, setting);
  if (named === 'from') return compileValue(from!, place, setting);
  if (named === 'first' || named === 'all') {
    const each = compileEach(value[named]!, place, setting);
    if (named === 'all') return (scope) => [...each(scope)].flat();
    return (scope) => each(scope).next().value as unknown;
  }
  if (named === 'from and extract') {
    return compileExtract(extract!, compileText(from!, place, setting), place);
  }
  throw new MappingProblem(
    place,
    'a value has one of from, value, template, first, all; or extract with from',
    'Write only the column, email, or { from: email, then: [lower] }.',
  );
}

/** Compiles what is taken of each element of a list that meets the condition. */
function compileEach(
  { of, where, take }: NonNullable<ValueObject['first']>,
  place: string,
  setting: Setting,
): (scope: Scope) => Generator {
  const list = compileCell(of, place, setting);
  const test = compileCondition(where ?? true, `${place}.where`, withoutColumns(setting));
  const read = compileValue(take, `${place}.take`, withoutColumns(setting));
  return function* (scope) {
    const found = list(scope);
    if (where === undefined) yield* namesIn(found);
    for (const [key, row] of elementsOf(found)) {
      const inner = { row, key, problems: scope.problems };
      if (test(inner)) yield read(inner);
    }
  };
}

/** Beginning of rows that are not JSON: cut off, or as Python or PHP write them. */
const brokenRows = /^\s*(?:[[{]|a:\d+:)/;

/** Returns the names in a list that has names instead of rows: `["a","b"]`, or `a, b` or `{a,b}` in a column. */
function namesIn(value: unknown) {
  const found = containerOf(value) ?? plainSteps['pg-array'](value);
  if (typeof found === 'string' && brokenRows.test(found)) return [];
  const list: unknown = typeof found === 'string' ? found.split(',') : found;
  return Array.isArray(list) ? list.flatMap((one) => (typeof one === 'string' ? one.trim() || [] : [])) : [];
}

/** Returns the elements of an object with their keys, or of a list with their numbers. */
export function elementsOf(value: unknown): readonly (readonly [key: string, row: unknown])[] {
  return Object.entries(containerOf(value) ?? {});
}

/** Compiles the scopes for each element of a list or an object. If `each` is absent, that is the row itself. */
export function compileElements(each: string | undefined, place: string, setting: Setting) {
  if (each === undefined) return (scope: Scope) => [scope];
  const get = compileCell(each, `${place}.each`, setting);
  return (scope: Scope) => elementsOf(get(scope)).map(([key, row]) => ({ ...scope, row, key }));
}

/** Compiles a template such as `{first} {last}`. It is empty if every column in it is empty. */
function compileTemplate(template: string, place: string, setting: Setting): Get {
  const pieces = template.split(/(\{[^{}]+\})/).map((text) => {
    const isPath = /^\{[^{}]+\}$/.test(text);
    return { text, read: isPath ? compileText(text.slice(1, -1), place, setting) : undefined };
  });
  return (scope) => {
    let made = '';
    let found = false;
    for (const { text, read } of pieces) {
      const piece = read === undefined ? text : read(scope);
      found ||= read !== undefined && piece !== '';
      made += piece;
      if (made.length > longestText) return made.slice(0, longestText);
    }
    return found ? made.trim() : '';
  };
}

/**
 * Compiles a pattern such as `auth0|{id}` that is read backwards: finds what is in the braces. Empty if the text has
 * another form.
 */
function compileExtract(pattern: string, read: ReadText, place: string): Get {
  const [, before = '', after = '', more] = /^([^{}]*)\{[^{}]+\}([^{}]*)(.*)$/s.exec(pattern) ?? [];
  if (more !== '') throw new MappingProblem(place, 'extract has one pair of braces: auth0|{id}');
  return (scope) => {
    const text = read(scope);
    const fits =
      text.startsWith(before) && text.endsWith(after) && text.length >= before.length + after.length;
    return fits ? text.slice(before.length, text.length - after.length) : '';
  };
}

/** Applies the steps, then `prefix`, then the map, then the default. */
function withSteps(source: Get, value: ValueObject, place: string): Get {
  const { prefix, then = [], map, default: fallback } = value;
  const steps = prefix === undefined ? then : [...then, { prefix }];
  const runs: ApplyStep[] = steps.map((step, at) => compileStep(step, `${place}.then[${at}]`));
  if (runs.length === 0 && map === undefined && fallback === undefined) return source;
  const words = map && new Map(Object.entries(map));
  return (scope) => {
    let found = asText(source(scope), scope, place);
    for (const run of runs) found = run(found);
    if (words !== undefined) found = words.get(textOf(found, scope, place)) ?? '';
    return fallback !== undefined && isEmpty(found) ? fallback : found;
  };
}

function asText(value: unknown, scope: Scope, place: string): unknown {
  return value === undefined || typeof value === 'object' ? value : textOf(value, scope, place);
}

type StepObject = Exclude<Step, string>;
type Makers = { readonly [Key in keyof StepObject]-?: (argument: NonNullable<StepObject[Key]>) => ApplyStep };

/** Throws `MappingProblem`. */
function compileStep(step: Step, place: string): ApplyStep {
  if (typeof step === 'string') return plainSteps[step];
  const [[key, argument] = ['', ''], ...others] = Object.entries(step).filter(([, one]) => one !== undefined);
  const make = (makers as Readonly<Record<string, (argument: unknown) => ApplyStep>>)[key];
  if (make !== undefined && others.length === 0) return make(argument);
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
  before: (mark) => onText((text) => text.split(mark, 1).join('')),
  after: (mark) =>
    onText((text) => (text.includes(mark) ? text.slice(text.indexOf(mark) + mark.length) : text)),
  split: (separator) =>
    onText((text) =>
      text
        .split(separator)
        .map((part) => part.trim())
        .filter(Boolean),
    ),
  take: (at) => (value) => (Array.isArray(value) ? (value.at(at) as unknown) : value),
  join: (between) => (value) =>
    Array.isArray(value)
      ? joinTexts(value.filter((one) => typeof one === 'string').filter(Boolean), between)
      : value,
  default: (fallback) => (value) => ((value ?? '') === '' ? fallback : value),
  'url-param': (name) => onText((text) => new URLSearchParams(/\?(.*)/s.exec(text)?.[1]).get(name) ?? ''),
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

export type Test = (scope: Scope) => boolean;
/** Tests what is in a cell. */
type TestCell = (value: unknown, scope: Scope) => boolean;

/** Throws `MappingProblem`. */
export function compileCondition(condition: Condition, place: string, setting: Setting): Test {
  if (typeof condition === 'boolean') return () => condition;
  const [kind, ...others] = kinds.filter((key) => condition[key] !== undefined);
  if (kind === undefined || others.length > 0)
    throw new MappingProblem(place, `a condition has one of ${kinds.join(', ')}`);
  if (kind === 'all' || kind === 'any' || kind === 'not') {
    // In a negation, a word that is not known blocks its user.
    const inside = kind === 'not' ? { ...setting, mayBlock: false } : setting;
    const tests = [condition[kind]!].flat().map((one) => compileCondition(one, `${place}.${kind}`, inside));
    if (kind === 'any') return (scope) => tests.some((test) => test(scope));
    if (kind === 'all') return (scope) => tests.every((test) => test(scope));
    return (scope) => !tests[0]!(scope);
  }
  const get = compileCell(condition[kind]!, place, setting);
  const test = cellTests[kind](condition, place, setting);
  return (scope) => test(get(scope), scope);
}

const cellTests = {
  present: () => hasContent,
  absent: () => (value) => !hasContent(value),
  has: () => (value) => value !== undefined,
  column: compileColumn,
  future: compileTime,
  past: compileTime,
  locked: (_, place) => (value, scope) =>
    hasContent(value) && textsOf(value, undefined, scope, place).every((hash) => lockedHash.test(hash)),
} satisfies Readonly<
  Record<string, (condition: ConditionObject, place: string, setting: Setting) => TestCell>
>;
const cellKinds = Object.keys(cellTests) as (keyof typeof cellTests)[];
const kinds = [...cellKinds, 'all', 'any', 'not'] as const;

const nothing = /^(?:\0*|[(<[]?null[)>\]]?|0000-00-00.*)$/;

/** Zero as a time, no as a flag and the word null count as no content, because tables write them where JSON has null. */
function hasContent(value: unknown) {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  const text = String((value as string | number | undefined) ?? '')
    .trim()
    .toLowerCase();
  return !nothing.test(text) && !no.has(text);
}

function compileColumn(
  { column = '', is = [true], keys, contains, same, split, bit }: ConditionObject,
  place: string,
  setting: Setting,
): TestCell {
  if (same !== undefined) return compileSame(same, split, place, setting);
  if (bit !== undefined)
    return (value, scope) => {
      const number = Number(textOf(value, scope, column));
      if (Number.isNaN(number)) scope.problems.push(`${column} is not a number`);
      return (number & bit) !== 0;
    };
  if (keys !== undefined)
    return (value) => {
      const inside = containerOf(value);
      return isObject(inside) && Object.keys(inside).every((key) => keys.includes(key));
    };
  // `true` and `false` are every way to say so: a database writes the same column as `t`, `1` or `true`, by the kind of its dump.
  const known = new Set(
    (is === 'no' ? [false] : is).flatMap((word) =>
      typeof word === 'boolean' ? [...(word ? yes : no)] : String(word).toLowerCase(),
    ),
  );
  const isFlag = setting.mayBlock && (is === 'no' || is.every((word) => typeof word === 'boolean'));
  return (value, scope) => {
    const fits = (one: unknown) => {
      const text = one === nul ? '0' : comparedText(one, scope, column);
      if (contains !== undefined) return text.includes(contains);
      const word = text.trim().toLowerCase();
      // A user who is blocked in words that are not known must not arrive active.
      if (isFlag && word !== '' && !yes.has(word) && !unsaid.includes(word) && hasContent(word))
        scope.problems.push(`${column} is neither yes nor no`);
      return known.has(word);
    };
    return Array.isArray(value) ? value.some(fits) : fits(value);
  };
}

/** Compares two columns in lower case. Empty columns are not the same. */
function compileSame(other: string, split: string | undefined, place: string, setting: Setting): TestCell {
  const read = compileText(other, place, setting);
  return (value, scope) => {
    const expected = read(scope).trim().toLowerCase();
    const isSame = (text: string) => text.trim().toLowerCase() === expected;
    return expected !== '' && textsOf(value, split, scope, place).some(isSame);
  };
}

/** Times that a message may show. Anything else may be a secret in a column that a mapping takes for a time. */
const datelike = /^\d{1,4}[-/. ][\p{L}\d]{1,9}[-/. ]\d{1,4}(?:[ T,][\p{L}\d .,:+-]{0,24})?$/u;

/** A rounded number is the same to a condition: Windows writes times as such numbers. */
const comparedText: typeof textOf = (value, ...rest) =>
  typeof value === 'number' ? String(value) : textOf(value, ...rest);

function compileTime(
  { future, past, by = '0s' }: ConditionObject,
  place: string,
  { now }: Setting,
): TestCell {
  const span = readSpan(by);
  if (span === undefined)
    throw new MappingProblem(`${place}.by`, `${by} is not a span of time`, 'Write 1d, 12h or 30m.');
  const path = future ?? past;
  return (value, scope) => {
    const text = comparedText(value, scope, path!).trim();
    const time = readTime(text);
    if (time === undefined && /^[^-].*[1-9]/.test(text))
      scope.problems.push(`${path} is not a time that can be read${datelike.test(text) ? `: ${text}` : ''}`);
    return time !== undefined && (future === undefined ? time < now - span : time > now + span);
  };
}
