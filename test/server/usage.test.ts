import { expect, it } from 'vitest';
import { noUsage } from '../../src/core/index.ts';
import { post, signedIn, somebody } from './support.ts';

const nothing = { session: { ...noUsage, cost: 0 }, models: [] };

it('RUN-16 BUD-03 what a session used is listed by model, for a reader too; nobody else sees it', async () => {
  const sub = somebody();
  const send = await signedIn({ sub });
  const listed = async (as = send): Promise<unknown> => (await as('/api/sessions/spend/usage')).json();
  expect(await listed()).toEqual(nothing);
  expect((await send('/api/sessions/spend/turn?wait', post({ message: 'Hello' }))).status).toBe(200);
  const { usage } = await (await send('/api/sessions/spend')).json<{ usage: { session: object } }>();
  const viewer = await signedIn({ sub, role: 'viewer' });
  expect(await listed(viewer)).toEqual({
    session: usage.session,
    models: [{ ...usage.session, model: 'demo', replies: 1, unpriced: 1, cost: null }],
  });
  expect(await listed(await signedIn())).toEqual(nothing);
});

it('SESS-02 a nested session has its own', async () => {
  const send = await signedIn();
  expect(await (await send('/api/sessions/spend%3A%3Asub%3A%3Achild/usage')).json()).toEqual(nothing);
});
