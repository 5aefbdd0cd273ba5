/** The lengths that the client checks before it sends are those that the server checks when it reads. */
import { describe, expect, it } from 'vitest';
import { fieldRules, metadataValueBytes } from '../../src/records/field-rules.ts';
import { importHumanUserRequest } from '../../src/wire/create-user.ts';
import { machineUser, userMetadataItem } from '../../src/wire/import.ts';
import type { Message } from '../../src/wire/message.ts';

function ruleAt({ plan }: Message, path: string) {
  const [name = '', ...rest] = path.split('.');
  const field = plan.byName.get(name)!;
  if (rest.length > 0) return ruleAt(field.message!, rest.join('.'));
  return { min: field.min ?? 0, max: field.max };
}

const human = importHumanUserRequest;
const machine = machineUser;
const metadata = userMetadataItem;

describe('lengths', () => {
  it.each([
    ['userName', human, 'userName'],
    ['firstName', human, 'profile.firstName'],
    ['lastName', human, 'profile.lastName'],
    ['nickName', human, 'profile.nickName'],
    ['displayName', human, 'profile.displayName'],
    ['preferredLanguage', human, 'profile.preferredLanguage'],
    ['email', human, 'email.email'],
    ['phone', human, 'phone.phone'],
    ['idpConfigId', human, 'idps.configId'],
    ['idpExternalUserId', human, 'idps.externalUserId'],
    ['idpDisplayName', human, 'idps.displayName'],
    ['recoveryCode', human, 'recoveryCodes.hash'],
    ['metadataKey', metadata, 'key'],
    ['machineName', machine, 'name'],
    ['machineDescription', machine, 'description'],
  ] as const)('of %s are the same on both sides', (name, plan, path) => {
    expect(ruleAt(plan, path)).toEqual(fieldRules[name]);
  });

  it('of metadata values are the same, in bytes', () => {
    expect(ruleAt(metadata, 'value')).toEqual(metadataValueBytes);
  });
});
