/** Turns the clients of a source into applications: their names and ids, what is lost, and how a body has them. */
import { note, warning } from '../../notice.ts';
import { cut, foldName, sanitize } from '../../records/text.ts';
import { formatCount, formatCounted } from '../../lib/format.ts';
import {
  deriveAppId,
  hasSecret,
  maxAppName,
  type SourceApps,
  type Resource,
} from '../../records/resource.ts';
import { entryWriter, type ImportBodyWriter } from '../../targets/import-body.ts';

export interface AppsOfProject extends SourceApps {
  readonly projectId: string;
  /** Organization of the project. */
  readonly owner: string;
  /** Name of a new project. Empty for an existing one. */
  readonly name: string;
}

/** Names each application by its client id. If realms share one, later ones also get the name of their realm. */
function nameApps({ apps, projectId }: AppsOfProject) {
  const taken = new Set<string>();
  return apps.flatMap((source) => {
    const { app, clientId, realm } = source;
    if (app === undefined) return [];
    const plain = cut(clientId, maxAppName);
    const ofRealm = cut(sanitize(realm), maxAppName / 2);
    let name = plain;
    for (let number = ofRealm === '' ? 2 : 1; taken.has(foldName(name)); number++) {
      const ending = ` (${[ofRealm, number === 1 ? '' : number].filter(Boolean).join(' ')})`;
      name = cut(plain, maxAppName - ending.length) + ending;
    }
    taken.add(foldName(name));
    return [{ ...app, id: deriveAppId(projectId, name), name, source }];
  });
}

/** Returns the applications, and a new project, as a body would have them, to be created with calls of their own. */
export function toResources(source: AppsOfProject): Resource[] {
  const { owner: org, projectId, name: projectName } = source;
  const apps = nameApps(source).map(({ id, name, type, settings }): Resource => {
    return { kind: 'app', org, parent: projectId, id, name, type, settings: { name, ...settings } };
  });
  if (projectName === '') return apps;
  const settings = { name: projectName };
  return [
    { kind: 'project', org, parent: '', id: projectId, name: projectName, type: '', settings },
    ...apps,
  ];
}

/** Most losses named of one client. A realm made by hand may have thousands of addresses. */
const mostLosses = 50;

/** Returns one notice for all clients, and one for each client that loses something. */
export function describeApps(settings: AppsOfProject) {
  const { apps, builtIn, name, projectId } = settings;
  const moved = apps.filter(({ app }) => app !== undefined);
  const secrets = moved.filter(({ app }) => hasSecret(app!.settings)).length;
  const project = name === '' ? `project ${projectId}` : `the project ${JSON.stringify(name)}`;
  const withSecrets =
    secrets === 0
      ? ''
      : ` ${formatCounted(secrets, 'application')} will get a new client secret: give the import --app-secrets.`;
  const whole = note(
    'app:written',
    `Clients: ${formatCount(moved.length)} as applications of ${project}, ${formatCount(apps.length - moved.length)} not migrated, ${formatCount(builtIn)} of Keycloak itself left out.${withSecrets}`,
  );
  const names = new Map(nameApps(settings).map(({ source, name }) => [source, name]));
  const single = apps
    .map((source) => {
      const name = names.get(source) ?? source.clientId;
      const renamed =
        name === source.clientId ? [] : [`its name: the application is ${JSON.stringify(name)}`];
      return { ...source, lost: [...renamed, ...source.lost] };
    })
    .filter(({ lost }) => lost.length > 0)
    .map(({ clientId, app, lost }) => {
      const what = `client ${JSON.stringify(clientId)}`;
      const more = `and ${formatCount(lost.length - mostLosses)} more`;
      const all = (lost.length > mostLosses ? [...lost.slice(0, mostLosses), more] : lost).join('; ');
      return app === undefined
        ? warning('app:not-migrated', `${what} is not migrated: ${all}.`)
        : note('app:lost', `not migrated from ${what}: ${all}.`);
    });
  return [whole, ...single];
}

export type AppWriter = ReturnType<typeof createAppWriter>;

/** `hasProject`: the roles are in the same project, so the body already has it. */
export function createAppWriter(settings: AppsOfProject, hasProject: boolean) {
  return {
    /** To be called before the body is closed. */
    async write(writer: ImportBodyWriter) {
      const write = entryWriter(writer, settings.owner);
      for (const { kind, parent: projectId, id, type, settings: own } of toResources(settings)) {
        const list = type === 'oidc' ? 'oidcApps' : 'apiApps';
        if (kind === 'app') await write(list, { appId: id, app: { projectId, ...own } });
        else if (!hasProject) await write('projects', { projectId: id, project: own });
      }
    },
    notices: describeApps(settings),
  };
}
