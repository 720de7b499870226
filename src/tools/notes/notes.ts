import * as z from 'zod';
import { textResult, type Tool, tool } from '../../core/index.ts';
import type { NoteStore } from './note-store.ts';

/** The longest note, in characters, and the most notes that one reading gives. */
export const noteLimits = { text: 2000, read: 20 } as const;

/** The tool `write_note {text}`: keeps a text in the session. It changes something, so approve-writes asks first (MW-15). */
export function writeNoteTool(store: NoteStore): Tool {
  return tool({
    name: 'write_note',
    description: `Keeps a note in this session, for later turns. The user is asked first and may refuse. Refuses an empty note and one above ${noteLimits.text} characters: split it. A note cannot be changed or removed.`,
    input: z.strictObject({
      text: z.string().trim().min(1).max(noteLimits.text).describe('The note, complete in itself.'),
    }),
    hints: {},
    async call({ text }) {
      await store.add(text);
      return textResult('Saved.');
    },
  });
}

/** The tool `read_notes {}`: the newest notes, oldest of them first, and whether there are older ones. Read-only. */
export function readNotesTool(store: NoteStore): Tool {
  return tool({
    name: 'read_notes',
    description: `Reads the notes of this session, at most the newest ${noteLimits.read}, each with the time it was written (UTC).`,
    input: z.strictObject({}),
    hints: { readOnly: true, idempotent: true },
    async call() {
      const found = await store.list(noteLimits.read + 1);
      const notes = found.slice(-noteLimits.read);
      if (notes.length === 0) return textResult('There are no notes yet.', { value: [] });
      const lines = notes.map((note) => `${new Date(note.created).toISOString()}: ${note.text}`);
      if (found.length > notes.length) lines.unshift(`(older notes are left out: these are the newest ${noteLimits.read})`);
      return textResult(lines.join('\n'), { value: notes.map(({ text, created }) => ({ text, created })) });
    },
  });
}
