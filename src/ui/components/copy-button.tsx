import { useState } from 'preact/hooks';
import { copyText } from '../lib/clipboard.ts';
import { useApp } from '../state/app.ts';
import { Icon } from './icon.tsx';

/** Copies a text and says so in place. `text` is asked when it is pressed. */
export function CopyButton({
  text,
  label,
  disabled = false,
}: {
  readonly text: () => string;
  readonly label: string;
  readonly disabled?: boolean;
}) {
  const { toasts } = useApp();
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await copyText(text()))) {
      toasts.show('The browser does not allow copying here.');
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button
      type="button"
      class="icon-button small"
      aria-label={copied ? 'Copied' : label}
      title={label}
      disabled={disabled}
      onClick={() => void copy()}
    >
      <Icon name={copied ? 'check' : 'copy'} size={16} />
    </button>
  );
}
