import { useApp } from '../state/app.ts';
import { send } from '../state/actions.ts';
import type { SessionStore } from '../state/session.ts';
import { Icon, type IconName } from './icon.tsx';

interface Example {
  readonly icon: IconName;
  readonly text: string;
  readonly shows: string;
}

const demoExamples: readonly Example[] = [
  { icon: 'clock', text: 'What time is it?', shows: 'A tool call, with its result' },
  { icon: 'note', text: 'Write a note: buy milk', shows: 'Asks for your approval first' },
  { icon: 'edit', text: 'Say something long', shows: 'Stop it, edit it, let it go on' },
];

const modelExamples: readonly Example[] = [
  { icon: 'clock', text: 'What time is it, and how long until midnight UTC?', shows: 'Uses the clock tool' },
  { icon: 'note', text: 'Write a note that the release is on Friday.', shows: 'Asks for your approval first' },
  { icon: 'question', text: 'Ask me three questions to plan my weekend.', shows: 'Asks, and waits for your answers' },
];

/** An empty conversation: three things to try. */
export function EmptyState({ store }: { readonly store: SessionStore }) {
  const { config } = useApp();
  const examples = config.value?.demo === true ? demoExamples : modelExamples;
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
