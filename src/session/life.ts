import { version } from '../config/version.ts';
import { randomId } from '../core/index.ts';
import type { Life } from './rows/runs.ts';

/** A new life of an object: its id, and the release that it runs, the deployed version where the platform names it, else that of the package. */
export function newLife(env: Env): Life {
  return { incarnation: randomId('life'), build: env.VERSION?.id ?? version };
}
