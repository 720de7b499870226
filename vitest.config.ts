import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { defineConfig } from 'vitest/config';

/** Folders whose tests hold in Node and in workerd alike; a file that needs the file system is named `*.node.test.ts`. */
const portable = ['core', 'models', 'tools', 'policy', 'testing', 'config', 'sandbox'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

/** Before servers start: the page that they serve. */
const page = './test/frame/page.setup.ts';

/** In ms: what a machine that is busy with other things may take. No test waits for it. */
const patience = 30_000;

/** What the developer set for their own server does not reach the tests: an empty variable counts as absent. */
const vars = existsSync('.dev.vars') ? parseEnv(readFileSync('.dev.vars', 'utf8')) : {};
const blank = Object.fromEntries(Object.keys(vars).map((name) => [name, '']));

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node',
          testTimeout: patience,
          include: [
            ...portable,
            'test/container/**/*.test.ts',
            'test/frame/*.test.ts',
            'test/ui/**/*.test.{ts,tsx}',
            'test/bridges/**/*.test.ts',
          ],
        },
      },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: './wrangler.toml' }, miniflare: { bindings: blank } })],
        test: {
          name: 'workerd',
          testTimeout: patience,
          include: [...portable, 'test/session/**/*.test.ts', 'test/server/**/*.test.ts', 'test/workspace/**/*.test.ts'],
          exclude: ['**/*.node.test.ts'],
          // One workerd for all files: a start costs seconds. Storage is shared, so every test takes a fresh object name.
          isolate: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // An entry of its own, through which a test hears of each life of a session.
        plugins: [
          cloudflareTest({
            main: './test/chaos/worker.ts',
            wrangler: { configPath: './wrangler.toml' },
            miniflare: { bindings: blank },
          }),
        ],
        test: {
          name: 'chaos',
          testTimeout: patience,
          include: ['test/chaos/**/*.test.ts'],
          isolate: false,
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'e2e',
          globalSetup: page,
          include: ['test/e2e/**/*.test.ts', 'test/llama/**/*.test.ts', 'test/frame/e2e/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          // Each file starts servers of its own; two at a time is what a small machine bears.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Containers on an engine of its own, which takes podman, runc and root; `.ci/run` installs them.
        test: {
          name: 'box',
          include: ['test/box/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 180_000,
          maxWorkers: 1,
          sequence: { groupOrder: 5 },
        },
      },
      {
        // Asks the models that the environment names; never part of `npm test`.
        test: { name: 'live', include: ['test/live/**/*.test.ts'], testTimeout: 180_000, maxWorkers: 1 },
      },
      {
        test: {
          name: 'browser',
          globalSetup: page,
          include: ['test/browser/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
