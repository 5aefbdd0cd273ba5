import { describe, expect, it } from 'vitest';
import { verifyReport } from '../../../src/flows/report/verify-report.ts';
import { type Compared, nothing } from '../../../src/flows/verify/comparison.ts';
import { reportAs } from '../../support/reports.ts';
import { verifyReportFile } from '../../../src/wire/reports.ts';

const differs: Compared = {
  outcome: 'differs',
  place: { input: 'body.json', index: 3, id: 'old-1' },
  targetId: '4711',
  userName: 'ann|<b>',
  email: 'ann@example.com',
  fields: ['email'],
  unknown: ['password'],
  detail: '',
};
const extra: Compared = { ...nothing, outcome: 'extra', targetId: '4712', userName: 'zoe', email: '' };
const counts = {
  same: 5,
  blocked: 0,
  missing: 0,
  extra: 1,
  differs: 150,
  unknown: 0,
  notYet: 0,
  accounts: 2,
  signIn: new Map(),
  fields: new Map([['email', 150]]),
  unknownFields: new Map([['password', 1]]),
};
const logins = [{ userName: 'ann', succeeded: false, detail: 'Password is invalid' }];
const run = { inputs: ['body.json'], url: 'https://id.example.com', orgs: ['1'], startedAt: 0 };

const write = (path: string, users: readonly Compared[]) =>
  reportAs(path, verifyReport, run, users, { counts, logins, requests: 3, seconds: 1.5 });

describe('the report of a comparison', () => {
  it('is a JSON document of the promised shape', () => {
    const report = verifyReportFile.strict().parse(JSON.parse(write('r.json', [differs, extra])));
    expect(report.users).toEqual([differs, extra]);
    expect(verifyReportFile.parse(JSON.parse(write('r.json', []))).users).toEqual([]);
    expect(report.logins).toEqual(logins);
    expect(report.summary).toMatchObject({ same: 5, blocked: 0, fields: { email: 150 } });
  });

  it('is a page for users, the counts first, with nothing of the files as markup', () => {
    const page = write(
      'r.MD',
      Array.from({ length: 150 }, () => differs),
    );
    expect(page.indexOf('| different | 150 |')).toBeGreaterThan(0);
    expect(page.indexOf('| different | 150 |')).toBeLessThan(page.indexOf('## different: 150 users'));
    expect(page).toContain(
      '| body.json | \\#4 | old-1 | 4711 | ann\\|&lt;b> | ann@example.com | email, password (unknown) |',
    );
    expect(page).toContain('And 50 more');
    expect(page).toContain('- ann: could not log in, Password is invalid');
    expect(page).not.toContain('## missing');
  });
});
