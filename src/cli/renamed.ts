/** Replaces old names of flags, which still work for a release. */
import { isObject } from '../lib/json-value.ts';
import { renamedFlags } from '../lib/old-names.ts';

/** `--old=value` is `--new=value`; what stands behind `--` is no flag. */
export function withNewNames(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  return argv.map((word, at) => {
    const [, old, value = ''] = /^--([\w-]+)(=.*)?$/s.exec(word) ?? [];
    const name = old === undefined || (end !== -1 && at > end) ? undefined : renamedFlags.get(old);
    return name === undefined ? word : `--${name}${value}`;
  });
}

/** The same for a configuration file, whose settings have the names of flags. */
export function withNewKeys(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, one]) => [renamedFlags.get(key) ?? key, withNewKeys(one)]));
}
