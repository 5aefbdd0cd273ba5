import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRecorder } from '../../../src/flows/actions/recordings.ts';
import { formatSavedRequest, type SavedRequest } from '../../../src/webhooks/saved-request.ts';
import { createTestFolder } from '../../support/folder.ts';

const call = (method: string, receivedAt = Date.UTC(2026, 0, 31, 12)): SavedRequest => ({
  method: 'POST',
  path: '/',
  headers: [['A', 'b']],
  body: Buffer.from(JSON.stringify({ fullMethod: method })),
  receivedAt,
});

it('createRecorder writes private files inside its folder, named by time, number and method', async () => {
  const cwd = createTestFolder();
  const record = await createRecorder('calls/today', cwd);
  const path = await record(call('/service.user.v2.UserService/AddHumanUser'), 7);
  expect(path).toBe(join('calls/today', '2026-01-31T12-00-00.000Z-0007-AddHumanUser.http'));
  expect(statSync(join(cwd, 'calls/today')).mode & 0o777).toBe(0o700);
  expect(statSync(join(cwd, path)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(cwd, path))).toEqual(
    formatSavedRequest(call('/service.user.v2.UserService/AddHumanUser')),
  );
  // Out of their folder a call leads none.
  const evil = await record(call('/../../x/..\\\u0000evil name'), 1);
  expect(evil).toBe(join('calls/today', '2026-01-31T12-00-00.000Z-0001-..evilname.http'));
});
