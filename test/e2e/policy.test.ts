import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestHarness, type TestHarness } from 'wrangler';
import { simulate } from '../../scripts/policy.ts';
import { call, type FakeOpenAI, startFakeOpenAI } from './fake-openai.ts';

let model: FakeOpenAI;
let server: TestHarness;
let url: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reins-policy-'));
  model = await startFakeOpenAI();
  const vars = { HARNESS_OPENAI_URL: model.url, HARNESS_MODEL: 'fake', HARNESS_HOST: 'llama_cpp' };
  server = createTestHarness({ workers: [{ configPath: 'wrangler.toml', vars }] });
  ({ href: url } = (await server.listen()).url);
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
  await model.close();
});

/** Runs the command with these rules, as the text of their file. */
function run(rules: string, ...args: readonly string[]): ReturnType<typeof simulate> {
  const file = join(folder, 'rules.json');
  writeFileSync(file, rules);
  return simulate([file, '--url', url, ...args], {});
}

test('POL-06 the command prints what rules would change of past calls', async () => {
  model.reply(call('a', 'write_note', { text: 'one' }), call('b', 'write_note', { text: 'two' }));
  const body = JSON.stringify({ message: 'Go' });
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(new URL('/api/sessions/notes/turn?wait', url), { method: 'POST', headers, body })).status).toBe(200);
  const rules = JSON.stringify([{ name: 'not-two', effect: 'deny', tools: ['write_note'], input: { text: 'two' } }]);
  const { ok, text } = await run(rules, '--session', 'notes');
  expect(ok).toBe(true);
  expect(text.split('\n')).toEqual([
    expect.stringMatching(/^1 of 2 calls change under these rules \(version [0-9a-f]{12}\)\.$/),
    'tighter ask -> deny    chat write_note {"text":"two"}',
    '        write_note is denied by the rule not-two',
  ]);
  const all = await run(rules, '--session', 'notes', '--all');
  expect(all.text).toContain('none    ask            chat write_note {"text":"one"}');
  expect((await run(rules, '--session', 'notes', '--limit', '1')).text).toMatch(/^1 of 1 calls/);
});

test('POL-02 it says what is wrong with its arguments, its file, or its rules', async () => {
  expect(await run('[]')).toMatchObject({ ok: false, text: expect.stringContaining('--session SCOPE') });
  expect(await run('[', '--session', 'notes')).toMatchObject({ ok: false, text: expect.stringContaining('is not JSON') });
  const wrong = await run('[{"name":"a","effect":"perhaps"}]', '--session', 'notes');
  expect(wrong).toMatchObject({
    ok: false,
    text: expect.stringMatching(/^bad_request: .*\n {2}rules\.0\.effect: must be deny, ask or allow$/),
  });
  expect(await run('[]', '--session', 'notes', '--what')).toMatchObject({ ok: false });
});
