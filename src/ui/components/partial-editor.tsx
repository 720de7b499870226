import { useEffect, useRef } from 'preact/hooks';
import { composing } from '../lib/keys.ts';
import { useAutosize } from '../lib/use-autosize.ts';

interface PartialEditorProps {
  readonly text: string;
  /** The reader asked for it just now, so the cursor goes to the end of the text. */
  readonly focus: boolean;
  readonly onChange: (text: string) => void;
  readonly onResume: () => void;
}

/** The text of an unfinished reply as plain markdown, to be changed; what follows goes on exactly after it. */
export function PartialEditor({ text, focus, onChange, onResume }: PartialEditorProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  useAutosize(box, text);
  useEffect(() => {
    if (!focus) return;
    box.current?.focus();
    box.current?.setSelectionRange(text.length, text.length);
  }, []);
  return (
    <label class="partial-editor">
      <span class="off-screen">Edit the reply. Ctrl+Enter resumes after it.</span>
      <textarea
        ref={box}
        value={text}
        rows={3}
        spellcheck
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || composing(event) || text.trim() === '') return;
          event.preventDefault();
          onResume();
        }}
      />
    </label>
  );
}
