/** `idport token`: gets an access token, or shows what one may do. */
import { UsageError } from '../errors.ts';
import { whoAmI, type Identity } from '../flows/preflight/who-am-i.ts';
import { printLines } from '../storage/stream-sink.ts';
import { connect } from './connect.ts';
import type { tokenFlags } from '../flags/others.ts';
import type { Action } from './context.ts';

export const token: Action<typeof tokenFlags> = async (flags, context) => {
  const { check } = flags;
  if (check && flags.output !== '-') throw new UsageError('--check writes no token to --output');
  const client = await connect(flags, context);
  if (check) return printLines(context.stdout, describe(await whoAmI(client)));
  await context.outputs.save(flags.output, `${await client.token()}\n`);
};

function describe({ userId, userName, orgId, roles }: Identity) {
  return [
    `${userName} (${userId}), belongs to organization ${orgId}`,
    ...(roles.length === 0 ? ['no roles: it can only read its own user'] : []),
    ...roles.map(({ where, roles }) => `${roles.join(', ')} in ${where}`),
  ];
}
