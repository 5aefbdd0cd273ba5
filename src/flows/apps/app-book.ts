/** Writes the applications of a project into a body. */
import type { TargetOrg } from '../../records/organization.ts';
import type { ImportBodyWriter, Section } from '../../targets/import-body.ts';
import { describeApps, toResources, type AppsOfProject } from './name-apps.ts';

export type AppBook = ReturnType<typeof createAppBook>;

/** `hasProject`: the roles are in the same project, so the body already has it. */
export function createAppBook(settings: AppsOfProject, hasProject: boolean) {
  const home: TargetOrg = { orgId: settings.owner, name: '', domains: [] };
  return {
    /** Before the body is closed. */
    async write(writer: ImportBodyWriter): Promise<void> {
      const write = async (section: Section, entry: object) =>
        writer.write(section, `,${JSON.stringify(entry)}`, home);
      for (const { kind, parent: projectId, id, type, settings: own } of toResources(settings)) {
        const list = type === 'oidc' ? 'oidcApps' : 'apiApps';
        if (kind === 'app') await write(list, { appId: id, app: { projectId, ...own } });
        else if (!hasProject) await write('projects', { projectId: id, project: own });
      }
    },
    notices: describeApps(settings),
  };
}
