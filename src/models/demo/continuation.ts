import { type Message, textOf, toolCalls } from '../../core/index.ts';
import { say, type Script, spoken } from './script.ts';

/**
 * How a script goes on behind an edited reply: with the rest of its text where the edit is recognised, else with the end of a
 * sentence; then with the calls that the edit does not hold yet, and its end. It never reasons anew (INTR-17).
 */
export function continuation(script: Script, edit: Message): Script {
  const pace = script.find((beat) => beat.type === 'text')?.pace;
  const held = toolCalls(edit).length;
  const after = script.filter((beat) => beat.type !== 'text' && beat.type !== 'reasoning');
  const open = after.filter((beat, index) => beat.type !== 'call' || callsBefore(after, index) >= held);
  return [say(restOf(spoken(script), textOf(edit)), pace), ...open];
}

function callsBefore(script: Script, index: number): number {
  return script.slice(0, index).filter((beat) => beat.type === 'call').length;
}

/** The text that follows the edit: the whole from where the edit's last three words end in it. */
function restOf(whole: string, edit: string): string {
  if (whole.startsWith(edit)) return whole.slice(edit.length);
  const tail = /(?:\S+\s+){2}\S+\s*$/.exec(edit)?.[0];
  const found = tail === undefined ? -1 : whole.indexOf(tail);
  return tail === undefined || found < 0 ? ending(edit) : whole.slice(found + tail.length);
}

/** Ends the sentence that the edit leaves open, or adds one. */
function ending(edit: string): string {
  const space = edit === '' || /\s$/.test(edit) ? '' : ' ';
  return /[.!?:…]["')\]]?\s*$/.test(edit)
    ? `${space}That is where your edit ends, and this is where I go on from it.`
    : `${space}and so on: your edit breaks off there, and this is how I end its sentence.`;
}
