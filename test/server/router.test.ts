/** Fixed paths are remembered, and nothing else about routing changes. */
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createRouter } from '../../src/server/router.ts';

const app = new Hono({ router: createRouter() });
app.use('*', async (context, next) => {
  await next();
  context.res.headers.set('x-passed', 'yes');
});
app.get('/users/_is_unique', (context) => context.text('fixed'));
app.get('/users/:id', (context) => context.text(`one ${context.req.param('id')}`));
app.post('/users/_is_unique', (context) => context.text('posted'));

describe('the router', () => {
  it.each([
    ['GET', '/users/_is_unique', 'fixed'],
    ['POST', '/users/_is_unique', 'posted'],
    ['GET', '/users/a%7Cb', 'one a|b'],
    ['GET', '/users/_is_unique', 'fixed'],
    ['DELETE', '/users/_is_unique', '404 Not Found'],
    ['GET', '/nowhere', '404 Not Found'],
  ])('%s %s', async (method, path, text) => {
    const answer = await app.request(path, { method });
    expect(await answer.text()).toBe(text);
    expect(answer.headers.get('x-passed')).toBe('yes');
  });
});
