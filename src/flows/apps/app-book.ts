/** Writes the applications of a project into a body. */
import type { TargetOrg } from '../../records/organization.ts';
import type { ImportBodyWriter } from '../../targets/import-body.ts';
import type { Notice } from '../../sources/source.ts';
import { describeApps, nameApps, type AppsOfProject } from './name-apps.ts';

export interface AppBook {
  /** Before the body is closed. */
  write(writer: ImportBodyWriter): Promise<void>;
  readonly notices: readonly Notice[];
}

/** `hasProject`: the project of the roles is the same, so it stands in the body already. */
export function createAppBook(settings: AppsOfProject, hasProject: boolean): AppBook {
  const { projectId, owner, name: projectName } = settings;
  const home: TargetOrg = { orgId: owner, name: '', domains: [] };
  return {
    async write(writer) {
      if (projectName !== '' && !hasProject) {
        const project = { projectId, project: { name: projectName } };
        await writer.write('projects', `,${JSON.stringify(project)}`, home);
      }
      for (const { kind, id, name, settings: own } of nameApps(settings)) {
        const entry = { appId: id, app: { projectId, name, ...own } };
        await writer.write(kind === 'oidc' ? 'oidcApps' : 'apiApps', `,${JSON.stringify(entry)}`, home);
      }
    },
    notices: describeApps(settings),
  };
}
