import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, type FakeOpenAI, startFakeOpenAI, words } from '../e2e/fake-openai.ts';
import { documents, fenced } from './documents.ts';
import { root } from './source.ts';

const texts = documents();
let server: FakeOpenAI;

beforeAll(async () => {
  server = await startFakeOpenAI();
});
afterAll(() => server.close());

/** Runs a program of the documents as it stands, against the fake server; gives what it prints. */
async function play(program: string): Promise<string> {
  const environment = { ...process.env, HARNESS_OPENAI_URL: server.url };
  const options = { cwd: root, env: environment };
  return (await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '--eval', program], options)).stdout;
}

test('the first program of the README runs as it stands: a clock, system text, a token limit, text as it comes', async () => {
  const [program = ''] = texts.flatMap((document) => fenced(document, 'ts'));
  server.reply(call('c1', 'clock'));
  server.reply(words('It is noon.'));

  expect(await play(program)).toBe('It is noon.');

  const [first, second] = server.requests.map((request) => request.body);
  expect(first).toMatchObject({
    stream: true,
    max_tokens: 2000,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What time is it?' },
    ],
    tools: [{ type: 'function', function: { name: 'clock' } }],
  });
  expect(second?.messages.at(-1)).toMatchObject({
    role: 'tool',
    tool_call_id: 'c1',
    content: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  });
});

test('the README holds the only program of the documents, so that every one is run', () => {
  const programs = texts.flatMap((document) => [...fenced(document, 'ts'), ...fenced(document, 'js')].map(() => document.path));
  expect(programs).toEqual(['README.md']);
});

test('every npm script that a document names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
  const named = texts.flatMap(({ text }) => [...text.matchAll(/\bnpm run ([a-z:]+)/g)].map(([, name = '']) => name));
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test('every file that a document links to exists', () => {
  const links = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => join(dirname(path), target)),
  );
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
});
