export * from './note-store.ts';
export * from './notes.ts';
