/** The command `verify`: what it accepts, what it refuses in one line, and its exit code. */
import { beforeEach, describe, expect, it } from 'vitest';
import { verifyReportFile } from '../../src/wire/reports.ts';
import { type Workspace, openWorkspace, succeeded } from '../support/workspace.ts';
import { userNames } from '../support/users-run.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await openWorkspace({ orgId: '100' });
});

async function bringOver(...names: string[]) {
  workspace.writeBody('there.json', names);
  await succeeded(workspace.run('import-users there.json --org=100 --ids=new --id-map=ids.csv'));
}

describe('idport verify', () => {
  it('exits 5 if lists lag longer than --wait, and 2 if --wait is invalid', async () => {
    workspace = await openWorkspace({ orgId: '100', lag: 3_600_000 });
    await bringOver(...userNames(260));
    const ran = await workspace.run('verify there.json --wait=100ms --details=none');
    expect(ran.exitCode).toBe(5);
    expect(ran.stdout.split('\n')[0]).toBe(
      '! old-user-0 user-0: not known yet: the list of the service is behind',
    );
    expect(ran.events.at(-1)).toMatchObject({ users: { missing: 0, unknown: 260, notYet: 260 } });
    expect(await workspace.run('verify there.json --wait=soon')).toMatchObject({ exitCode: 2 });
  });
});

describe('the process of idport verify', () => {
  /** Of 3000 users who are not there, with a reader who leaves. */
  const verifyLeft = (flags: string) => {
    workspace.writeBody('body.json', userNames(3000));
    return workspace.runProcess(`verify body.json ${flags}`, {
      meanwhile: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
    });
  };

  it('emits output:closed if the reader closes stdout', async () => {
    const ran = await verifyLeft('--json');
    expect(ran.exitCode).toBe(4);
    expect(JSON.parse(ran.stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'output:closed',
    });
  });

  it.each(['--all', '--allow-extra'])('does not exit 0 if stdout was closed early with %s', async (flag) => {
    const ran = await verifyLeft(`--quiet ${flag}`);
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain('Not all users were compared');
  });

  it('writes the complete report if stdout was closed early', async () => {
    const ran = await verifyLeft('--quiet --report=r.json');
    expect(ran).toMatchObject({ exitCode: 4, stderr: '3,000 missing at the target\n' });
    const report = verifyReportFile.parse(workspace.json('r.json'));
    expect(report.users).toHaveLength(3000);
  });

  it('prints nothing with --quiet if all users are the same, and no colors with NO_COLOR', async () => {
    await bringOver('ann');
    workspace.writeBody('body.json', ['ann']);
    const quiet = await workspace.runProcess('verify body.json --quiet');
    expect(quiet).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    const plain = await workspace.runProcess('verify body.json', { env: { NO_COLOR: '1' } });
    expect(plain.stderr).toContain('1  same');
    expect(plain.stderr).not.toContain('\u001b');
  });
});
