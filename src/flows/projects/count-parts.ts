/** Says how many projects, roles, project grants and applications a run adds or removes. */
import { formatCounted } from '../../lib/quantity.ts';

/** `1 project, role or project grant and 4 applications`; `parts` begin with their kind. */
export function countParts(parts: readonly (readonly [kind: string, ...rest: unknown[]])[]): string {
  const apps = parts.filter(([kind]) => kind === 'app').length;
  const others = parts.length - apps;
  const words = [
    others === 0
      ? ''
      : formatCounted(others, 'project, role or project grant', 'projects, roles and project grants'),
    apps === 0 ? '' : formatCounted(apps, 'application'),
  ];
  return words.filter(Boolean).join(' and ');
}
