import { editsAsked } from '../lib/file-edits.ts';
import { inputFields } from '../lib/tool-text.ts';
import { CommandView } from './command-view.tsx';
import { FileEditView } from './file-edit-view.tsx';
import { InputFields } from './input-fields.tsx';

interface CallInputProps {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>> | null;
  /** What came of the input while it is not whole. */
  readonly raw: string;
  readonly label: string;
  /** The call has happened. */
  readonly done: boolean;
}

/** What a call was given: an edit as its lines, a command as it is, anything else as names and values. */
export function CallInput({ name, input, raw, label, done }: CallInputProps) {
  const edits = editsAsked(name, input);
  if (edits !== null)
    return (
      <>
        {edits.map((edit, index) => (
          <FileEditView key={index} edit={edit} done={done} />
        ))}
      </>
    );
  const command = (name === 'shell' || name === 'process_start') && typeof input?.command === 'string' ? input.command : null;
  const rest = command === null ? input : others(input ?? {});
  const fields = inputFields(rest, command === null ? raw : '');
  return (
    <>
      {command !== null && <CommandView command={command} />}
      {fields.length > 0 && <InputFields fields={fields} label={command === null ? label : 'Options'} />}
    </>
  );
}

function others({ command: _command, ...rest }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return rest;
}
