import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { root } from '../source.ts';

const folder = mkdtempSync(join(tmpdir(), 'reins-bundle-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// 1,240 KiB of it, 365 compressed, are the bash of the embedded shell (just-bash), which is evaluated with a session's first command and not before.
test('the Worker as it is uploaded has at most 2,300 KiB, 690 KiB compressed', async () => {
  const wrangler = createRequire(import.meta.url).resolve('wrangler');
  const args = ['--no-warnings', wrangler, 'deploy', '--dry-run', '--minify', '--outdir', folder];
  const env = { ...process.env, WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
  const [all, compressed] = /Total Upload: ([\d.]+) KiB \/ gzip: ([\d.]+) KiB/.exec(stdout)?.slice(1).map(Number) ?? [];
  expect(all).toBeLessThanOrEqual(2300);
  expect(compressed).toBeLessThanOrEqual(690);
});
