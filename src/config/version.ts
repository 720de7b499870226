import { version as packageVersion } from '../../package.json';

/** The release of Reins that runs, as its package says. */
export const version: string = packageVersion;
