import { describe, expect, it } from 'vitest';
import type { AuthorityInit, Permissions } from '../../src/config/index.ts';
import { Run, toolList, userText } from '../../src/core/index.ts';
import { resolveAgent } from '../../src/session/agent.ts';
import { callDelta, FakeModel } from '../../src/testing/index.ts';
import { fakePorts } from '../config/ports.ts';

const off: Permissions = { authorize: false, canOffer: null, canCall: null };
const choice = { mode: 'chat', model: null, maxSteps: null, tools: null };
const asker = { participant: 'ann', scope: 'home' };

function agentOf(given: Partial<AuthorityInit>) {
  const agent = resolveAgent({}, choice, fakePorts(), asker, { rules: [], permissions: off, ...given });
  if (!agent.ok) throw new Error(agent.problem.code);
  return agent.value;
}

/** What the model is told of a call, and how the turn that makes it ends. */
async function called(given: Partial<AuthorityInit>, name: string, input = '{}') {
  const { tools, guard } = agentOf(given);
  const model = new FakeModel([[callDelta('c1', name, input)], 'end']);
  const run = new Run({ model, tools: toolList(...tools), middleware: [guard] });
  for await (const _ of run.turn(userText('u1', 'Go')));
  const told = JSON.stringify(model.prompts[1]?.messages.at(-1) ?? run.pending());
  return { reason: run.ended()?.reason, told };
}

describe('the agent of a session', () => {
  it('MW-15 POL-06 asks before what does not only read, where there is no rule', async () => {
    expect(await called({}, 'write_note', '{"text":"a"}')).toMatchObject({
      reason: 'awaiting_input',
      told: expect.stringContaining('write_note changes files'),
    });
    expect(await called({}, 'clock')).toMatchObject({ reason: 'done' });
  });

  it('POL-01 POL-04 keeps to the rules of its mode', async () => {
    const rules = [{ name: 'no-notes', effect: 'deny', tools: ['write_note'], modes: ['chat'] }] as const;
    const { reason, told } = await called({ rules }, 'write_note', '{"text":"a"}');
    expect(reason).toBe('done');
    expect(told).toContain('Denied: write_note is denied by the rule no-notes');
    const elsewhere = [{ ...rules[0], modes: ['code'] }];
    expect(await called({ rules: elsewhere }, 'write_note', '{"text":"a"}')).toMatchObject({ reason: 'awaiting_input' });
  });

  it('PERM-01 PERM-02 PERM-07 offers no tool that may not be offered: a call of it is of an unknown tool', async () => {
    const asked: string[] = [];
    const permissions: Permissions = {
      ...off,
      authorize: true,
      canOffer: ({ participant, session, tool }) => {
        asked.push(`${participant} ${session} ${tool.name}`);
        return tool.name !== 'write_note';
      },
    };
    expect(agentOf({ permissions }).tools.map(({ spec }) => spec.name)).toEqual(['clock', 'wait', 'ask_user', 'read_notes']);
    expect(asked).toContain('ann home write_note');
    expect(await called({ permissions }, 'write_note', '{"text":"a"}')).toMatchObject({
      reason: 'done',
      told: expect.stringContaining('There is no tool named write_note'),
    });
  });

  it('PERM-02 PERM-08 makes no call that may not be made', async () => {
    const permissions: Permissions = {
      ...off,
      authorize: true,
      canCall: ({ participant, session, tool, input }) =>
        !(participant === 'ann' && session === 'home' && tool.name === 'write_note' && input.text === 'secret'),
    };
    expect((await called({ permissions }, 'write_note', '{"text":"secret"}')).told).toContain('decidedBy');
    expect(await called({ permissions }, 'write_note', '{"text":"plain"}')).toMatchObject({ reason: 'awaiting_input' });
  });

  it.each<[string, Partial<AuthorityInit>]>([
    ['unsafe_authorization_configuration', { permissions: { ...off, canOffer: () => true } }],
    ['unsafe_authorization_configuration', { permissions: { ...off, canCall: () => true } }],
    ['no_agent_runtime', { rules: [{ name: 'a', effect: 'deny', tools: ['nothing'] }] }],
  ])('PERM-05 PERM-06 DOC-02 is none, with %s, where they cannot be used', (code, given) => {
    const agent = resolveAgent({}, choice, fakePorts(), asker, { rules: [], permissions: off, ...given });
    expect(agent).toMatchObject({ ok: false, problem: { code } });
  });

  it('PERM-09 leaves the tools as they are', async () => {
    const [plain, guarded] = [agentOf({}), agentOf({ permissions: { ...off, authorize: true } })];
    expect(guarded.tools.map(({ spec }) => spec)).toEqual(plain.tools.map(({ spec }) => spec));
  });
});
