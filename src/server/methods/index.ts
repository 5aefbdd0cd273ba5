/** All methods of the service that this server implements. */
import { betaMessages } from '../../wire/actions.ts';
import type { Method } from '../method.ts';
import { appMethods } from './apps.ts';
import { credentialMethods } from './credentials.ts';
import { dataMethods } from './data.ts';
import { eventMethods } from './events.ts';
import { executionMethods, executionMethodsV3, nameMethods } from './executions.ts';
import { idpMethods } from './identity-providers.ts';
import { orgMethods } from './orgs.ts';
import { projectMethods } from './projects.ts';
import { sessionMethods } from './sessions.ts';
import { publicKeyMethods, targetMethods, targetMethodsV3 } from './targets.ts';
import { writeUserMethods } from './write-users.ts';
import { userPartMethods } from './user-parts.ts';
import { userMethods } from './users.ts';

/** Returns the `v2beta` form of an action method, which differs from `v2` in a few messages. */
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
  ...dataMethods,
  ...userMethods,
  ...writeUserMethods,
  ...credentialMethods,
  ...userPartMethods,
  ...orgMethods,
  ...projectMethods,
  ...appMethods,
  ...eventMethods,
  ...sessionMethods,
  ...idpMethods,
  ...actionMethods,
  ...actionMethods.map(asBeta),
  ...publicKeyMethods,
  ...targetMethodsV3,
  ...executionMethodsV3,
  ...nameMethods.map((method) => moved(method, '/v2/actions', '/v3alpha')),
];
