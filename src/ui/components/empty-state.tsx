import { useApp } from '../state/app.ts';
import { send } from '../state/actions.ts';
import type { SessionStore } from '../state/session.ts';
import { Icon, type IconName } from './icon.tsx';

interface Example {
  readonly icon: IconName;
  readonly text: string;
  readonly shows: string;
  /** The tool that it needs; null: none. */
  readonly tool: string | null;
}

const demoExamples: readonly Example[] = [
  { icon: 'clock', text: 'What time is it?', shows: 'A tool call, with its result', tool: 'clock' },
  { icon: 'note', text: 'Write a note: buy milk', shows: 'Asks for your approval first', tool: 'write_note' },
  { icon: 'edit', text: 'Say something long', shows: 'Stop it, edit it, let it go on', tool: null },
];

const modelExamples: readonly Example[] = [
  { icon: 'clock', text: 'What time is it, and how long until midnight UTC?', shows: 'Uses the clock tool', tool: 'clock' },
  {
    icon: 'note',
    text: 'Write a note that the release is on Friday.',
    shows: 'Asks for your approval first',
    tool: 'write_note',
  },
  {
    icon: 'folder',
    text: 'What is in this project? Tell me in a few lines.',
    shows: 'Looks around in the files',
    tool: 'list_dir',
  },
  {
    icon: 'edit',
    text: 'Write a README with a title and one sentence.',
    shows: 'Shows the lines and asks first',
    tool: 'write_file',
  },
  { icon: 'terminal', text: 'Count the lines of each file.', shows: 'Shows the command and asks first', tool: 'shell' },
  {
    icon: 'question',
    text: 'Ask me three questions to plan my weekend.',
    shows: 'Asks, and waits for your answers',
    tool: 'ask_user',
  },
];

/** How many examples are shown. */
const shown = 3;

/** An empty conversation: a few things to try, of those that the mode has the tools for. */
export function EmptyState({ store }: { readonly store: SessionStore }) {
  const { config } = useApp();
  const tools = config.value?.tools.get(store.snapshot.value?.mode ?? '') ?? [];
  const all = config.value?.demo === true ? demoExamples : modelExamples;
  const examples = all.filter(({ tool }) => tool === null || tools.includes(tool)).slice(0, shown);
  return (
    <div class="empty">
      <h2>What shall we do?</h2>
      <p class="quiet">Every tab that opens this address sees the same conversation, and can stop, steer or answer it.</p>
      <ul class="examples">
        {examples.map(({ icon, text, shows }) => (
          <li key={text}>
            <button type="button" onClick={() => void send(store, text, 'auto')}>
              <Icon name={icon} />
              <span>{text}</span>
              <small>{shows}</small>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
