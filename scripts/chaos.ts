/**
 * `npm run chaos`: plays conversations on a real server and kills its runtime under them, then checks what docs/reliability.md promises.
 * Options: `--rounds N` (20), `--seed S` (drawn; the same seed draws the same plan). The last line has the figures; exits with 1 on any violation.
 */
import { parseArgs } from 'node:util';
import { startFakeOpenAI } from '../test/e2e/fake-openai.ts';
import { LocalServer } from './lib/local-server.ts';
import { soakModel } from './chaos/model.ts';
import { Random } from './chaos/random.ts';
import { Report } from './chaos/report.ts';
import { playRound } from './chaos/round.ts';
import { ensurePage } from './page.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' }, seed: { type: 'string' } } });
const rounds = Number(values.rounds);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));

if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed)) {
  console.error('Say how many rounds, and which seed: npm run chaos -- --rounds 20 --seed 1');
  process.exitCode = 2;
} else {
  await ensurePage();
  const report = await soak();
  for (const violation of report.violations) console.error(violation);
  console.log(`chaos, seed ${seed}: ${report.line()}`);
  process.exitCode = report.violations.length === 0 ? 0 : 1;
}

async function soak(): Promise<Report> {
  const report = new Report();
  const random = new Random(seed);
  const model = await startFakeOpenAI();
  model.otherwise(soakModel(seed));
  const many = '1000000';
  const vars = {
    HARNESS_OPENAI_URL: model.url,
    HARNESS_MODEL: 'soak',
    HARNESS_HOST: 'llama_cpp',
    LIMIT_COMMANDS: many,
    LIMIT_SOCKETS: many,
  };
  const server = await LocalServer.start({ vars });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void server.stop().finally(() => process.exit(1)));
  try {
    for (let n = 1; n <= rounds; n += 1) {
      const began = Date.now();
      const stage = { server, model, report };
      await playRound(n, random.fork(), stage, n % 3 === 0).catch((error: unknown) => {
        report.fault('hung', `round ${n}`, `it broke off: ${String(error)}`);
      });
      report.count('rounds');
      const seconds = ((Date.now() - began) / 1000).toFixed(1);
      console.log(`round ${n} of ${rounds}: ${seconds} s, ${report.violations.length} violations so far`);
    }
  } finally {
    await server.stop();
    await model.close();
  }
  return report;
}
