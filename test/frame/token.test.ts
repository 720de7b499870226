import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { root } from './source.ts';

const secret = 'a secret of more than thirty-two bytes';
const hour = 3600;

async function mint(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const env = { ...process.env, AUTH_SECRET: secret };
  return promisify(execFile)(process.execPath, [join(root, 'scripts/token.ts'), ...args], { env });
}

test('a minted token is signed with the secret and names its bearer, what they may, and when it expires', async () => {
  const before = Math.floor(Date.now() / 1000);
  const { stdout } = await mint('ann', '--role', 'viewer', '--scope', 'hello', '--hours', '2');
  const { payload, protectedHeader } = await jwtVerify(stdout.trim(), new TextEncoder().encode(secret));

  expect(protectedHeader.alg).toBe('HS256');
  expect(payload).toEqual({ sub: 'ann', role: 'viewer', scope: 'hello', exp: expect.any(Number) });
  expect(payload.exp).toBeGreaterThanOrEqual(before + 2 * hour);
  expect(payload.exp).toBeLessThan(before + 3 * hour);
});

test.each([
  [['ann', '--role', 'boss'], '--role'],
  [['ann', '--hours', '0'], '--hours'],
  [[], 'whom'],
] as const)('a token for %j is refused', async (args, reason) => {
  await expect(mint(...args)).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(reason) });
});
