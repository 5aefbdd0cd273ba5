/** Chooses the realm whose users are read; several realms without a choice are an error. */
import { UsageError } from '../../errors.ts';

export interface FoundRealm {
  /** Place in a list of realms, else 0. */
  readonly root: number;
  readonly name: string;
  readonly holdsUsers: boolean;
}

/** The realm to read of a list, or undefined where none holds users. Throws `UsageError` where that is not clear. */
export function chooseRealm(
  input: string,
  found: readonly FoundRealm[],
  requested: string | undefined,
): FoundRealm | undefined {
  if (requested !== undefined) {
    const chosen = found.find(({ name }) => name === requested);
    if (chosen === undefined)
      throw unknownRealm(
        input,
        found.map(({ name }) => name),
        requested,
      );
    return chosen;
  }
  const candidates = found.filter(({ holdsUsers }) => holdsUsers);
  if (candidates.length > 1)
    throw severalRealms(
      input,
      candidates.map(({ name }) => name),
    );
  return candidates[0];
}

export function unknownRealm(input: string, names: readonly string[], requested: string): UsageError {
  return new UsageError(`${input}: there is no realm ${quoted(requested)}`, {
    hint: `It holds ${list(names)}; name one of them with --realm-name.`,
  });
}

export function severalRealms(input: string, names: readonly string[]): UsageError {
  return new UsageError(`${input}: more than one realm holds users: ${list(names)}`, {
    hint: 'Choose one with --realm-name.',
  });
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'no realm' : names.map(quoted).join(', ');
}

function quoted(name: string): string {
  return JSON.stringify(name);
}
