/** What a row has stored as its password, to explain why a converted hash does not take it. */
import { isObject } from '../../../lib/json-value.ts';
import type { StoredHash } from '../../../records/hash-forms/explain-mismatch.ts';
import type { TableOptions } from '../options.ts';
import { compileStored } from './password.ts';

export function createStored({ mapping, now, secrets }: TableOptions): (row: unknown) => StoredHash {
  if (mapping.password === undefined) return () => ({});
  const setting = { nulls: new Set(mapping.source?.null ?? []), now };
  const read = compileStored(mapping.password, setting, secrets);
  return (row) => (isObject(row) ? read({ row, key: '', problems: [] }) : {});
}
