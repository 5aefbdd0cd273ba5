/**
 * What Login V2, the login pages of the service, decides, after its public source: `sendLoginname`
 * (apps/login/src/lib/server/loginname.ts), `sendPassword` (password.ts) and `checkPasswordChangeRequired` and
 * `checkMFAFactors` (verify-helper.ts). Pages of other ways to log in are only named.
 */
import type { JitDesk } from './jit.ts';

export interface LoginPages {
  /** The page after the user name: `/password`, or another one that asks for none. */
  readonly enterName: (loginName: string) => Promise<{ readonly page: string; readonly sessionId: string }>;
  /** The page after the password: `/signedin`, or the error of the service. */
  readonly enterPassword: (sessionId: string, password: string) => Promise<string>;
  /** Both, one after the other. */
  readonly logIn: (loginName: string, password: string) => Promise<string>;
}

export function openLoginPages({ call, methodsOf }: JitDesk): LoginPages {
  const pages: LoginPages = {
    async enterName(loginName) {
      const found = await call('POST /v2/users', { queries: [{ loginNameQuery: { loginName } }] });
      const [user, other] = found.body.result ?? [];
      if (user === undefined || other !== undefined) return { page: '/loginname', sessionId: '' };
      const session = await call('POST /v2/sessions', { checks: { user: { userId: user.userId } } });
      const { sessionId = '' } = session.body;
      if (session.status !== 201 || user.state === 'USER_STATE_INITIAL') return { page: '/error', sessionId };
      const methods = await methodsOf(user.userId);
      const first = ['PASSKEY', 'IDP', 'PASSWORD'].find((method) => methods.includes(method));
      // No page asks this user for a password; a code is sent by email.
      if (methods.length === 0) return { page: '/verify?send=true&invite=true', sessionId };
      return { page: first === undefined ? '/loginname' : `/${first.toLowerCase()}`, sessionId };
    },
    async enterPassword(sessionId, password) {
      const checked = await call(`PATCH /v2/sessions/${sessionId}`, { checks: { password: { password } } });
      if (checked.status !== 200) return `/error ${checked.body.details?.[0]?.id ?? checked.body.message}`;
      const { body } = await call(`GET /v2/sessions/${sessionId}`);
      const { id } = body.session.factors.user;
      const { user } = (await call(`GET /v2/users/${encodeURIComponent(id)}`)).body;
      if (user.human.passwordChangeRequired === true) return '/password/change';
      if (user.state === 'USER_STATE_INITIAL') return '/error';
      return (await methodsOf(id)).includes('TOTP') ? '/otp/time-based' : '/signedin';
    },
    async logIn(loginName, password) {
      const { page, sessionId } = await pages.enterName(loginName);
      return page === '/password' ? pages.enterPassword(sessionId, password) : page;
    },
  };
  return pages;
}
