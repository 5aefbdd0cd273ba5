/** All methods but those of the actions feature, and all routes that are not methods. */
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
import { usersV2Methods } from './users-v2.ts';
import { usersV1Methods } from './users-v1.ts';
import { importDataMethods } from './import-data.ts';
import { importUserMethods } from './import-user.ts';
import { accountMethods } from './account.ts';
import type { Hono } from 'hono';
import type { ServerState } from '../context.ts';
import type { Method } from '../method.ts';
import { mountHealth } from '../routes/health.ts';
import { mountToken } from '../routes/token.ts';

export const methods: readonly Method[] = [
  ...accountMethods,
  ...importUserMethods,
  ...importDataMethods,
  ...usersV1Methods,
  ...usersV2Methods,
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
];

/** Routes without a token, or without protobuf JSON. */

export const mounts: readonly ((app: Hono, state: ServerState) => void)[] = [mountHealth, mountToken];
