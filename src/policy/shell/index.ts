/** What a shell command does, read twice: by a parser of bash, and by a plain reader that must agree before anything is allowed. */
export * from './command.ts';
export { gitVerbAt, isRedefined } from './git.ts';
export * from './read.ts';
