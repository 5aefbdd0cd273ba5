/** Compiles conditions: what `where`, `when` and `emailVerified` ask of a row. */
import { compileCell, containerOf, type Get, type Scope, type Setting } from './paths.ts';
import { isObject } from '../../../lib/json-value.ts';
import { MappingProblem } from './problem.ts';
import type { Condition, ConditionObject } from './value-schema.ts';
import { textOf } from './texts.ts';
import { readSpan, readTime } from './times.ts';

export type Test = (scope: Scope) => boolean;

const yes = new Set(['1', 't', 'true', 'y', 'yes', 'on']);
const nothing = new Set(['', '0', 'f', 'false', '0000-00-00', '0000-00-00 00:00:00']);

/** Throws `MappingProblem`. */
export function compileCondition(condition: Condition, place: string, setting: Setting): Test {
  if (typeof condition === 'boolean') return () => condition;
  const tests = Object.entries(compilers).flatMap(([key, compile]) =>
    condition[key as keyof ConditionObject] === undefined ? [] : [compile(condition, place, setting)],
  );
  const [test] = tests;
  if (test === undefined || tests.length > 1) {
    throw new MappingProblem(
      place,
      'a condition has one of present, absent, has, column, future, past, all, any, not',
    );
  }
  return test;
}

type Compile = (condition: ConditionObject, place: string, setting: Setting) => Test;

const compilers: Readonly<Record<string, Compile>> = {
  present: ({ present }, place, setting) => hasContent(compileCell(present!, place, setting)),
  absent: ({ absent }, place, setting) => negate(hasContent(compileCell(absent!, place, setting))),
  has: ({ has }, place, setting) => {
    const get = compileCell(has!, place, setting);
    return (scope) => get(scope) !== undefined;
  },
  column: compileColumn,
  future: ({ future, by }, place, setting) =>
    compileTime(future!, by, place, setting, (time, span) => time > setting.now + span),
  past: ({ past, by }, place, setting) =>
    compileTime(past!, by, place, setting, (time, span) => time < setting.now - span),
  all: ({ all }, place, setting) => {
    const tests = all!.map((one) => compileCondition(one, `${place}.all`, setting));
    return (scope) => tests.every((test) => test(scope));
  },
  any: ({ any }, place, setting) => {
    const tests = any!.map((one) => compileCondition(one, `${place}.any`, setting));
    return (scope) => tests.some((test) => test(scope));
  },
  not: ({ not }, place, setting) => negate(compileCondition(not!, `${place}.not`, setting)),
};

function negate(test: Test): Test {
  return (scope) => !test(scope);
}

/** The zero of a time and the no of a flag are nothing: tables write them where JSON has null. */
function hasContent(get: Get): Test {
  return (scope) => {
    const value = get(scope);
    if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
    return !nothing.has(textOf(value, scope, '').trim().toLowerCase());
  };
}

function compileColumn(
  { column, is, keys, contains, same, split, bit }: ConditionObject,
  place: string,
  setting: Setting,
): Test {
  const get = compileCell(column!, place, setting);
  if (same !== undefined)
    return compileSame([get, column!], [compileCell(same, place, setting), same], split);
  if (bit !== undefined) return (scope) => (Number(textOf(get(scope), scope, column!)) & bit) !== 0;
  if (keys !== undefined)
    return (scope) => {
      const inside = containerOf(get(scope));
      return isObject(inside) && Object.keys(inside).every((key) => keys.includes(key));
    };
  const known = is === undefined ? yes : new Set(is.map((word) => String(word).toLowerCase()));
  const matches = (text: string) =>
    contains === undefined ? known.has(text.trim().toLowerCase()) : text.includes(contains);
  return (scope) => [get(scope)].flat().some((one) => matches(textOf(one, scope, column!)));
}

/** A text that no column holds: nothing is split. */
const noSeparator = '\u0000';

/** Two empty columns are not the same. */
function compileSame(
  [one, column]: readonly [Get, string],
  [second, other]: readonly [Get, string],
  split: string | undefined,
): Test {
  return (scope) => {
    const expected = textOf(second(scope), scope, other).trim().toLowerCase();
    const found = one(scope);
    const list = Array.isArray(found) ? found : [found];
    const texts = list.flatMap((part) => textOf(part, scope, column).split(split ?? noSeparator));
    return expected !== '' && texts.some((part) => part.trim().toLowerCase() === expected);
  };
}

function compileTime(
  path: string,
  by: string | undefined,
  place: string,
  setting: Setting,
  test: (time: number, span: number) => boolean,
): Test {
  const span = by === undefined ? 0 : readSpan(by);
  if (span === undefined)
    throw new MappingProblem(`${place}.by`, `${by} is not a span of time`, 'Write 1d, 12h or 30m.');
  const get = compileCell(path, place, setting);
  return (scope) => {
    const time = readTime(textOf(get(scope), scope, path));
    return time !== undefined && test(time, span);
  };
}
