/** All methods of the service that this server has. */
import { betaMessages } from '../../wire/actions.ts';
import { executionMethods, executionMethodsV3, nameMethods } from './executions.ts';
import { exportMethods } from './export-data.ts';
import { publicKeyMethods } from './public-keys.ts';
import { targetMethods, targetMethodsV3 } from './targets.ts';
import { idpMethods } from './identity-providers.ts';
import { settingsMethods } from './settings.ts';
import { sessionMethods } from './sessions.ts';
import { eventMethods } from './events.ts';
import { appMethods } from './apps.ts';
import { projectMethods } from './projects.ts';
import { orgMethods } from './orgs.ts';
import { grantAndLinkMethods } from './grants-and-links.ts';
import { metadataMethods } from './metadata.ts';
import { machineMethods } from './machines.ts';
import { codeMethods } from './codes.ts';
import { updateHumanMethods } from './update-human.ts';
import { createUserMethods } from './create-user.ts';
import { userMethods } from './users.ts';
import { importDataMethods } from './import-data.ts';
import type { Method } from '../method.ts';

/** `v2beta` of actions differs from `v2` in a few messages. */
function asBeta(method: Method): Method {
  const messages: Readonly<Record<string, Partial<Method>>> = betaMessages;
  return {
    ...moved(method, '/v2/', '/v2beta/'),
    rpc: method.rpc.replace('.v2.', '.v2beta.'),
    ...messages[method.rpc.split('/').at(-1)!],
  };
}

const moved = (method: Method, from: string, to: string): Method => ({
  ...method,
  route: method.route.replace(from, to) as Method['route'],
});

const actionMethods = [...targetMethods, ...executionMethods, ...nameMethods];

export const methods: readonly Method[] = [
  ...importDataMethods,
  ...userMethods,
  ...createUserMethods,
  ...updateHumanMethods,
  ...codeMethods,
  ...machineMethods,
  ...metadataMethods,
  ...grantAndLinkMethods,
  ...orgMethods,
  ...projectMethods,
  ...appMethods,
  ...eventMethods,
  ...sessionMethods,
  ...settingsMethods,
  ...idpMethods,
  ...exportMethods,
  ...actionMethods,
  ...actionMethods.map(asBeta),
  ...publicKeyMethods,
  ...targetMethodsV3,
  ...executionMethodsV3,
  ...nameMethods.map((method) => moved(method, '/v2/actions', '/v3alpha')),
];
