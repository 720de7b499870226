import { type Message, userText } from './message.ts';

const noteId = 'host_note';

/** A message that the host adds to a Prompt alone: a model reads it, the conversation never holds it (MW-08). */
export function hostNote(text: string): Message {
  return userText(noteId, text);
}

/** True for a note of the host's: no person said it. */
export function isHostNote(message: Message): boolean {
  return message.id === noteId;
}
