/** `idport token`: gets an access token, or shows what one may do. */
import { ExitCode } from '../errors.ts';
import { whoAmI, type Identity } from '../flows/preflight/who-am-i.ts';
import { openOutput } from '../storage/open-output.ts';
import { printLines } from '../storage/stream-sink.ts';
import { withClient } from './connect.ts';
import type { TokenFlags } from '../flags/others.ts';
import type { Action } from './context.ts';

export const token: Action<TokenFlags> = async (flags, context) => {
  const { stdout } = context;
  if (flags.check === true) {
    const identity = await withClient(flags, context, whoAmI);
    await printLines(stdout, flags.format === 'json' ? [JSON.stringify(identity)] : describe(identity));
    return ExitCode.done;
  }
  const value = await withClient(flags, context, (client) => client.token());
  const sink = openOutput(flags.output, context);
  await sink.write(`${value}\n`);
  await sink.commit();
  return ExitCode.done;
};

function describe({ userId, userName, orgId, roles }: Identity): string[] {
  return [
    `${userName} (${userId}), lives in organization ${orgId}`,
    ...(roles.length === 0 ? ['no roles: it may do nothing but ask about itself'] : []),
    ...roles.map(({ where, roles }) => `${roles.join(', ')} in ${where}`),
  ];
}
