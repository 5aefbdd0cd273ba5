import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/api/client.ts';
import { fixedToken } from '../../../src/api/credentials.ts';
import type { IdportEvent } from '../../../src/events.ts';
import { exportOrgs, type ExportEnd, type ExportRequest } from '../../../src/flows/export/export.ts';
import type { Sink } from '../../../src/lib/sink.ts';
import { createFakeClock } from '../../support/clock.ts';
import { drive } from '../../support/drive.ts';
import { playScript, type Sent, type Step } from '../../support/script.ts';

interface Run {
  readonly end: ExportEnd;
  readonly text: string;
  readonly state: { committed: boolean; discarded: boolean };
  readonly sent: Sent[];
  readonly notices: string[];
}

function memorySink(): { sink: Sink; state: Run['state']; text: () => string } {
  const parts: Buffer[] = [];
  const state = { committed: false, discarded: false };
  const sink: Sink = {
    name: 'export.json',
    get bytes() {
      return parts.reduce((sum, part) => sum + part.length, 0);
    },
    write: (chunk) => void parts.push(Buffer.from(chunk as Uint8Array)),
    async commit() {
      state.committed = true;
    },
    discard() {
      state.discarded = true;
    },
  };
  return { sink, state, text: () => Buffer.concat(parts).toString() };
}

async function run(steps: readonly Step[], overrides: Partial<ExportRequest> = {}): Promise<Run> {
  const clock = createFakeClock();
  const { send, sent } = playScript(steps, clock);
  const events: IdportEvent[] = [];
  const emit = (event: IdportEvent): void => void events.push(event);
  const client = createClient({
    url: 'https://id.example',
    credentials: fixedToken('token'),
    clock,
    emit,
    // A script answers with a text; an export takes it block by block.
    send: async (request) => {
      const answer = await send(request);
      if (request.receive === undefined || answer.status !== 200) return answer;
      await request.receive(blocks(answer.text));
      return { ...answer, text: '' };
    },
  });
  const { sink, state, text } = memorySink();
  const request: ExportRequest = {
    client,
    sink,
    orgs: [],
    exclude: [],
    withPasswords: true,
    withOtp: true,
    timeout: '10m0s',
    answerTimeout: 1000,
    splitByOrg: false,
    ...overrides,
  };
  const signal = new AbortController().signal;
  const end = await drive(clock, exportOrgs(request, { emit, clock, signal }));
  const notices = events.flatMap((event) => (event.type === 'notice' ? [event.code] : []));
  return { end, text: text(), state, sent, notices };
}

async function* blocks(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

const exported = (...ids: string[]): Step => ({
  body: { orgs: ids.map((orgId) => ({ orgId, org: { name: `Org ${orgId}` }, future: { x: ['kept'] } })) },
});
const tooLarge: Step = {
  status: 429,
  body: { code: 8, message: 'trying to send message larger than max (12000000 vs. 10485760)' },
};
const bodyOf = ({ request }: Sent): Record<string, unknown> => JSON.parse(request.body ?? '{}');
const bucket = { bucket: 'b', path: 'p.json', serviceAccount: 'a2V5' };

describe('an export', () => {
  it('keeps what it does not know', async () => {
    const { text, state } = await run([exported('1', '2')]);
    expect(JSON.parse(text)).toEqual(exported('1', '2').body);
    expect(state).toEqual({ committed: true, discarded: false });
  });

  it('asks organization by organization where one answer is too large, and puts the answers together', async () => {
    const { text, sent, notices } = await run([tooLarge, exported('1'), exported('2')], { orgs: ['1', '2'] });
    expect(JSON.parse(text)).toEqual(exported('1', '2').body);
    expect(sent.map((one) => bodyOf(one)['org_ids'])).toEqual([['1', '2'], ['1'], ['2']]);
    expect(notices).toContain('export:split');
    expect(notices).toContain('export:references');
  });

  it('of one organization that is too large says what is left to do, and leaves no file', async () => {
    await expect(run([tooLarge], { orgs: ['1'] })).rejects.toMatchObject({ code: 'export:too-large' });
  });

  it('that breaks off is asked for again, and written once', async () => {
    const { text, sent } = await run([{ fail: 'response' }, { status: 503 }, exported('1')]);
    expect(JSON.parse(text)).toEqual(exported('1').body);
    expect(sent).toHaveLength(3);
  });

  it('whose answer is not whole JSON is no export', async () => {
    await expect(run([{ body: '{"orgs":[{"orgId":"1"}' }])).rejects.toMatchObject({
      code: 'input:truncated',
    });
  });

  it('says which organizations were not in it', async () => {
    const { end, notices } = await run([exported('1')], { orgs: ['1', '2'] });
    expect(end.missing).toEqual(['2']);
    expect(notices).toContain('export:missing');
  });
});

describe('a bucket', () => {
  it('is named in the request, with the key', async () => {
    const { sent, end, state, notices } = await run([{ body: {} }], { bucket });
    expect(bodyOf(sent[0]!)).toMatchObject({
      response_output: false,
      gcs_output: { bucket: 'b', path: 'p.json', serviceaccount_json: 'a2V5' },
    });
    expect([end.written, state]).toEqual([false, { committed: false, discarded: true }]);
    expect(notices).toEqual(['export:in-bucket']);
  });

  it('that the service ignores costs nothing: the answer is saved', async () => {
    const { text, end, notices } = await run([exported('1')], { bucket });
    expect(JSON.parse(text)).toEqual(exported('1').body);
    expect([end.written, notices]).toEqual([true, ['export:inline']]);
  });

  it('is fetched from where that is asked for', async () => {
    const download = (): AsyncIterable<Uint8Array> => blocks(JSON.stringify(exported('1', '2').body));
    const { text, end } = await run([{ body: {} }], { bucket: { ...bucket, download } });
    expect(JSON.parse(text)).toEqual(exported('1', '2').body);
    expect(end.orgs.map(({ orgId }) => orgId)).toEqual(['1', '2']);
  });
});

it('names the organization whose users the lists have lost, and exports the others', async () => {
  const lost: Step = {
    status: 400,
    body: {
      code: 3,
      message: 'not found (QUERY-3n77z)',
      details: [{ id: 'QUERY-3n77z', message: 'not found' }],
    },
  };
  const orgs = ['1', '2', '3'];
  const { end, notices, text, state } = await run([lost, exported('1'), lost, exported('3')], { orgs });
  expect([end.missing, end.lost]).toEqual([[], ['2']]);
  expect(JSON.parse(text).orgs.map(({ orgId }: { orgId: string }) => orgId)).toEqual(['1', '3']);
  expect(state.committed).toBe(true);
  expect(notices).toContain('export:lost');
});
