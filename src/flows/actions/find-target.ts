/** Finds targets by id or name. */
import { type ActionsApi, isUnknownPath, type RegisteredTarget } from '../../api/actions/index.ts';
import { IdportError } from '../../errors.ts';

/** Ids win over names. Throws `actions:no-target` and `actions:ambiguous`. */
export function findTarget(targets: readonly RegisteredTarget[], idOrName: string) {
  const byId = targets.find(({ id }) => id === idOrName);
  if (byId !== undefined) return byId;
  const [found, ...others] = targets.filter(({ name }) => name === idOrName);
  if (found === undefined) {
    throw new IdportError(
      'actions:no-target',
      `there is no target with the id or name ${idOrName}`,
      '`idport actions target list` shows them.',
    );
  }
  if (others.length === 0) return found;
  const ids = [found, ...others].map(({ id }) => id).join(', ');
  throw new IdportError(
    'actions:ambiguous',
    `more than one target has the name ${idOrName}: ${ids}`,
    'Give the id of the one that is meant.',
  );
}

/** Returns the ids of several targets. If the service cannot list its targets, the arguments are taken for ids. */
export async function findTargetIds(api: ActionsApi, idsOrNames: readonly string[]) {
  const targets = await listIfPossible(api);
  if (targets === undefined) return [...idsOrNames];
  return idsOrNames.map((name) => findTarget(targets, name).id);
}

export const findTargetId = async (api: ActionsApi, idOrName: string) =>
  (await findTargetIds(api, [idOrName]))[0]!;

async function listIfPossible(api: ActionsApi) {
  try {
    return await api.listTargets();
  } catch (error) {
    if (isUnknownPath(error)) return undefined;
    if (error instanceof IdportError && error.code === 'actions:none') return undefined;
    throw error;
  }
}
