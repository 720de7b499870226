import { boxServer } from './server.ts';

// The program of the image: the variables are those of its Dockerfile.
const { BOX_PORT = '8080', BOX_ROOT = '/workspace', BOX_USER = '1000', PATH = '/usr/local/bin:/usr/bin:/bin' } = process.env;
const uid = Number(BOX_USER);
const env = { PATH, HOME: '/home/agent', USER: 'agent', SHELL: '/bin/bash', LANG: 'C.UTF-8', TERM: 'dumb' };

boxServer({ root: BOX_ROOT, user: { uid, gid: uid }, env }).listen(Number(BOX_PORT));

// Without it the first process of a container is not ended by a signal.
process.once('SIGTERM', () => process.exit());
