/** `idport password verify` of a compressed body, and at a terminal. Other lines of it are in `fixtures/command-lines.yaml`. */
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { convertFiles } from '../support/conversion.ts';

it('password verify reads a gzipped body, and asks for the password at a terminal', async () => {
  const value = '$pbkdf2-sha256$1000$c2FsdCBvZiBieXRlcyD/$h7VAVqlhOfyZoTiV2S/+gf3tDvsg4UQCTA7slHPOFlI=';
  const humanUsers = [{ userId: '1', user: { userName: 'alice', hashedPassword: { value } } }];
  const body = gzipSync(JSON.stringify({ dataOrgs: { orgs: [{ humanUsers }] } }));
  const questions: string[] = [];
  const askSecret = async (question: string) => {
    questions.push(question);
    return 'Grüezi';
  };
  const line = ['password', 'verify', '--user=1', '--body=body.json.gz'];
  const { exitCode, stdout } = await convertFiles(line, { 'body.json.gz': body }, { askSecret });
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('the password matches')]);
  expect(questions).toEqual(['Password: ']);
});
