import { version } from './config/version.ts';
import { consoleLogger } from './session/log.ts';
import { createApp } from './server/app.ts';

export { Directory } from './server/directory.ts';
export { Sandbox } from './sandbox/box/sandbox.ts';
export { Session } from './session/session.ts';

export default createApp({ version, logger: consoleLogger({}) });
