/** `idport jit try`: shows what the first login of a user would do, and writes nothing. */
import { ExitCode } from '../../errors.ts';
import { requireIds, findListed, hasOwnPassword } from '../../flows/jit/listed-users.ts';
import { createLoginService, type LoginService } from '../../flows/jit/service.ts';
import { createVerifierChain, isRight } from '../../flows/jit/verifier.ts';
import { printable } from '../../lib/format.ts';
import { print } from '../../storage/stream-sink.ts';
import { connect } from '../connect.ts';
import type { jitTryFlags } from '../../flags/jit.ts';
import type { Action } from '../context.ts';
import { openVerifiers } from './verifiers.ts';
import { isTooLong } from '../../records/password-policy.ts';
import { loginPagesHint } from '../../records/placeholder-password.ts';
import { readPassword } from '../proof.ts';

/** Resolves to `differs` if the password would not be migrated. */
export const tryJit: Action<typeof jitTryFlags> = async (flags, context) => {
  const { clock, stdout, onEnd } = context;
  const say = (text: string) => print(stdout, `${printable(text)}\n`);
  const client = await connect(flags, context);
  const { verifiers, list } = await openVerifiers(flags, context, 1);
  const service = createLoginService(client);
  if (list !== undefined) await requireIds(list, service);
  const user = (await service.findUser(flags.user)) ?? (await service.findByLoginName(flags.user));
  if (user === undefined) {
    await say(`${flags.user}: the service has no user with this id or login name`);
    return ExitCode.differs;
  }
  const state = user.isActive ? 'active at the service' : 'not active at the service: no verifier is asked';
  await say(`${user.loginName} (${user.id}): ${state}`);
  const listed = list && (await findListed(user, list, service));
  const hasPassword = await hasOwnPassword(user.id, listed, service);
  await say(await describePassword(user.id, hasPassword, service, list !== undefined));
  if (list !== undefined) await say(listed === undefined ? 'not on the list' : 'on the list');
  const isAskedAbout = list === undefined || listed !== undefined || flags.anyUser;
  if (!user.isActive || hasPassword || !isAskedAbout) return ExitCode.differs;
  const chain = createVerifierChain(verifiers, {
    clock,
    timeout: flags.verifierTimeout,
    onResult: (verifier, result) => void say(`${verifier}: ${result}`),
    onProblem: (verifier, problem) => void say(`${verifier}: ${problem}`),
  });
  onEnd(() => chain.close());
  const { loginName, userName, email } = user;
  const password = await readPassword(undefined, context);
  const { verdict } = await chain.ask({ userId: user.id, userName, loginName, email, password, listed });
  const isWritten = isRight(verdict) && !isTooLong(password);
  const change = verdict === 'expired' ? ', and the user would have to change it' : '';
  await say(
    isWritten
      ? `The first login would write this password to the service${change}. Nothing was written.`
      : 'The login would continue without a change. Nothing was written.',
  );
  return isWritten ? ExitCode.done : ExitCode.differs;
};

async function describePassword(id: string, isOwn: boolean, service: LoginService, hasList: boolean) {
  const doubt = hasList ? '' : '. If this may be the placeholder, give the list with --users';
  if (isOwn) return `the service has a password of this user: no verifier is asked${doubt}`;
  if (await service.hasPassword(id)) return 'the service has the placeholder, and no password of the user';
  return `the service has no password of this user. ${loginPagesHint}`;
}
