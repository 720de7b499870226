import { describe, expect, it } from 'vitest';
import type { Rule } from '../../src/policy/index.ts';
import { call, fakeChat, text } from '../session/fake-chat.ts';
import { post, problemIn, refusedAs, type Send, signedIn } from './support.ts';

const chat = fakeChat();

interface Verdict {
  readonly effect: string;
  readonly rule: string | null;
  readonly part: string | null;
  readonly why: string;
}

interface Simulation {
  readonly configured: { readonly version: string; readonly rules: number };
  readonly proposed: { readonly version: string; readonly rules: number };
  readonly changed: number;
  readonly calls: readonly {
    readonly id: string;
    readonly tool: string;
    readonly mode: string;
    readonly input: string;
    readonly configured: Verdict;
    readonly proposed: Verdict;
    readonly change: string;
  }[];
}

const operator = (): Promise<Send> => signedIn({ role: 'operator' });

async function simulate(send: Send, rules: readonly Rule[], more: object = {}): Promise<Simulation> {
  const response = await send('/api/policy/simulate', post({ scope: 'past', rules, ...more }));
  if (response.status !== 200) throw new Error(await response.text());
  return response.json();
}

/** A session with calls in two modes: the second one waits. */
async function withCalls(send: Send): Promise<void> {
  chat.reply(call('a', 'clock'), call('b', 'teleport', { to: 'x'.repeat(1000) }));
  chat.reply(text('Done'));
  await send('/api/sessions/past/turn?wait', post({ message: 'Go' }));
  await send('/api/sessions/past', { ...post({ mode: 'code' }), method: 'PATCH' });
  chat.reply(call('c', 'shell', { command: 'ls && rm -rf x' }), call('d', 'shell', { command: 'ls' }));
  await send('/api/sessions/past/turn?wait', post({ message: 'Again' }));
}

const rules: readonly Rule[] = [
  { name: 'no-clock', effect: 'deny', tools: ['clock'], modes: ['chat'] },
  { name: 'ls', effect: 'allow', shell: { run: 'ls' } },
  { name: 'no-rm', effect: 'deny', reason: 'use trash', shell: { run: 'rm' } },
];

describe('a simulation', () => {
  it('POL-06 shows what rules would have made of past calls, in the mode of each, beside what is configured', async () => {
    const send = await operator();
    await withCalls(send);
    const { configured, proposed, changed, calls } = await simulate(send, rules);
    expect(configured.rules).toBe(0);
    expect(proposed).toEqual({ version: expect.stringMatching(/^[0-9a-f]{64}$/), rules: 3 });
    expect(proposed.version).not.toBe(configured.version);
    expect(calls.map((one) => [one.tool, one.mode, one.configured.effect, one.proposed.effect, one.change])).toEqual([
      ['clock', 'chat', 'allow', 'deny', 'tighter'],
      ['teleport', 'chat', 'ask', 'ask', 'none'],
      ['shell', 'code', 'ask', 'deny', 'tighter'],
      ['shell', 'code', 'ask', 'allow', 'looser'],
    ]);
    expect(changed).toBe(3);
    expect(calls[2]).toMatchObject({
      input: '{"command":"ls && rm -rf x"}',
      configured: { rule: null, part: null, why: 'shell changes files' },
      proposed: { rule: 'no-rm', part: 'rm -rf x', why: '`rm -rf x` is denied by the rule no-rm: use trash' },
    });
    expect(calls[1]?.input).toMatch(/^\{"to":"x{493}…$/);
  });

  it('POL-06 looks at the newest calls, and changes nothing', async () => {
    const send = await operator();
    await withCalls(send);
    const before = await (await send('/api/sessions/past')).text();
    expect((await simulate(send, rules, { limit: 1 })).calls).toMatchObject([{ tool: 'shell', input: '{"command":"ls"}' }]);
    expect(await (await send('/api/sessions/past')).text()).toBe(before);
  });

  it('SESS-03 of a session that was never used has no calls, and leaves it unused', async () => {
    const send = await operator();
    expect(await simulate(send, rules)).toMatchObject({ changed: 0, calls: [] });
    expect(await (await send('/api/sessions')).json()).toMatchObject({ sessions: [] });
  });

  it('is for operators, and with a token for one session for that one', async () => {
    const body = post({ scope: 'past', rules: [] });
    for (const role of ['member', 'viewer']) {
      expect(await refusedAs(await (await signedIn({ role }))('/api/policy/simulate', body))).toBe('403 forbidden');
    }
    const scoped = await signedIn({ role: 'operator', scope: 'other' });
    expect(await refusedAs(await scoped('/api/policy/simulate', body))).toBe('403 forbidden');
    expect((await scoped('/api/policy/simulate', post({ scope: 'other', rules: [] }))).status).toBe(200);
  });

  it.each<[object, string]>([
    [{ rules: [] }, 'scope'],
    [{ scope: 'past' }, 'rules'],
    [{ scope: 'past', rules: [{ name: 'a', effect: 'perhaps' }] }, 'rules.0.effect'],
    [{ scope: 'past', rules: [], limit: 0 }, 'limit'],
  ])('POL-02 refuses %j, and names the place', async (body, path) => {
    const { status, code, body: problem } = await problemIn(await (await operator())('/api/policy/simulate', post(body)));
    expect([status, code]).toEqual([400, 'bad_request']);
    expect(problem.issues).toMatchObject([{ path }]);
  });

  it('POL-02 refuses a rule about a tool that does not exist', async () => {
    const body = { scope: 'past', rules: [{ name: 'a', effect: 'deny', tools: ['shel'] }] };
    const { code, body: problem } = await problemIn(await (await operator())('/api/policy/simulate', post(body)));
    expect([code, problem.detail]).toEqual(['bad_request', expect.stringContaining('rules.0.tools.0 is shel')]);
  });
});
