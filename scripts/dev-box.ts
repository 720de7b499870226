/**
 * `npm run dev:box -- ARGS`: as `npm start -- ARGS`, with a container for the commands of each session where a container engine answers. Where none does, it says
 * so, and commands run in the isolate.
 */
import { spawnSync } from 'node:child_process';

const { status } = spawnSync(process.env.WRANGLER_DOCKER_BIN ?? 'docker', ['info'], { stdio: 'ignore' });
// The binding to Workers AI would ask the account from here, and stop a start without one: a text stands in its place.
if (status === 0) process.argv.push('--env', 'box', '--var', 'AI:none');
else console.log('No container engine answers, so commands run in the isolate. Start Docker to have containers.');

await import('./start.ts');
