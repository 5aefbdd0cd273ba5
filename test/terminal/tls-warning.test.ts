import { expect, it } from 'vitest';
import type { IdportEvent } from '../../src/events.ts';
import { warnOfTlsOnce } from '../../src/terminal/tls-warning.ts';

const notice = (code: string): IdportEvent => ({ type: 'notice', level: 'warning', code, text: '...' });
const words = "Setting the NODE_TLS_REJECT_UNAUTHORIZED environment variable to '0' makes ...";

it('Node keeps its words on certificates to itself when ours were said, and only these', () => {
  const said: string[] = [];
  const events: string[] = [];
  const node = { emitWarning: (warning: string | Error) => void said.push(String(warning)) };
  const emit = warnOfTlsOnce((event) => void events.push(event.type === 'notice' ? event.code : ''), node);
  emit(notice('api:no-tls'));
  node.emitWarning(words);
  emit(notice('api:tls-not-verified'));
  node.emitWarning(words);
  emit(notice('api:tls-not-verified'));
  node.emitWarning('Something else');
  expect(said).toEqual([words, 'Something else']);
  expect(events).toEqual(['api:no-tls', 'api:tls-not-verified']);
});
