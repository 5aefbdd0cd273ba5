/** Gets the secrets of applications that a bulk import has created: its answer does not have them. */
import type { Emit } from '../../events.ts';
import { formatCounted } from '../../lib/quantity.ts';
import type { BodyApp } from '../../sources/org-data/projects.ts';
import { openAppSecrets } from '../apps/app-secrets.ts';
import { isAdded, keepSecrets } from '../apps/create-apps.ts';
import type { ImportRun } from './run.ts';

/** Of the applications that the run adds, also before a resume. Throws `ApiError`. */
export async function finishSecrets(
  { client, journal: { header } }: ImportRun,
  apps: readonly BodyApp[],
  path: string | undefined,
): Promise<void> {
  if (path === undefined || apps.length === 0) return;
  const { adds = [] } = header;
  const secrets = openAppSecrets(path);
  try {
    const added = apps.filter((app) => isAdded(adds, app, [app.projectId]));
    await keepSecrets(client, added, secrets);
  } finally {
    secrets.close();
  }
}

/** For bodies that idport did not write. */
export function notifySecretless(count: number, emit: Emit): void {
  if (count === 0) return;
  const text =
    `${formatCounted(count, 'application')} will get a client secret that is written nowhere: --app-secrets=<file> ` +
    'keeps it. It can also be generated anew later.';
  emit({ type: 'notice', level: 'warning', code: 'app:no-secrets', text });
}
