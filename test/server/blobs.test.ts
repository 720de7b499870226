import { expect, it } from 'vitest';
import { post, refusedAs, signedIn, somebody } from './support.ts';

interface Answered {
  readonly messages: readonly {
    readonly content: readonly { readonly text: { readonly href: string; readonly bytes: number } }[];
  }[];
}

it('G-19 SESS-20 a large text is had under its href: exactly, by a reader too, and by nobody else', async () => {
  const sub = somebody();
  const send = await signedIn({ sub });
  const text = 'A line that is pasted often. '.repeat(4000);
  expect((await send('/api/sessions/paste/turn?wait', post({ message: text }))).status).toBe(200);
  const { messages } = await (await send('/api/sessions/paste')).json<Answered>();
  const page = await (await send('/api/sessions/paste/messages')).json<Answered>();
  const reference = messages[0]?.content[0]?.text;
  expect(page.messages[0]?.content[0]?.text).toEqual(reference);
  const href = reference?.href ?? '';

  const viewer = await signedIn({ sub, role: 'viewer' });
  const answer = await viewer(href);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(await answer.text()).toBe(text);
  expect(await refusedAs(await (await signedIn())(href))).toBe('404 not_found');
  expect(await refusedAs(await send(href.replace(/.$/, 'x')))).toBe('404 not_found');
});
