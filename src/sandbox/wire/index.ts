/** What travels between a session and the server in its box; both ends are made of these files (container/README.md). */
export * from './frames.ts';
export * from './processes.ts';
export * from './reader.ts';
export * from './records.ts';
