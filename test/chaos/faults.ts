/** Faults of the reference server: what a network and a busy service do to requests. */
import type { FaultInput } from '../../src/server/limits/faults.ts';
import type { Draw } from '../support/draw.ts';
import { control, type Instance } from '../support/instance.ts';

/** The calls that import users, one by one or in bulk. */
const paths = ['/admin/v1/import', '/v2/users/new', '/management/v1/*', '/v2/*'];

export function drawFault(draw: Draw) {
  const one = { path: draw.pick(paths), method: draw.pick(['POST', 'PUT']), after: draw.below(30), times: 1 };
  const when = draw.pick(['before', 'after'] as const);
  return draw.pick<FaultInput>([
    { ...one, when, reset: true },
    { ...one, when: 'after', half: true },
    { ...one, when, status: draw.pick([500, 502, 503, 504]) },
    { ...one, status: 429 },
    { ...one, delay: 1 + draw.below(200) },
  ]);
}

/** So many requests of a run may lose their answer. */
const mostLost = 600;

/** Up to three of them, in the place of those that were there; with `lost`, this share of the answers is lost instead. */
export async function setFaults(instance: Instance, draw: Draw, lost = 0) {
  await clearFaults(instance);
  for (let after = 0; after < mostLost; after++)
    if (lost > 0 && draw.chance(lost))
      await addFault(instance, { after, times: 1, when: 'after', reset: true });
  if (lost > 0) return;
  for (let left = draw.below(4); left > 0; left--) await addFault(instance, drawFault(draw));
}

export const addFault = (instance: Instance, fault: FaultInput) => control(instance, 'POST faults', fault);

export const clearFaults = (instance: Instance) => control(instance, 'DELETE faults');
