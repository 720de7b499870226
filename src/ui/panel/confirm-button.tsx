import { useEffect, useState } from 'preact/hooks';
import { Icon, type IconName } from '../components/icon.tsx';

/** How long a first press is remembered, in ms. */
const patience = 5000;

interface ConfirmButtonProps {
  readonly icon: IconName;
  readonly label: string;
  /** What the second press says. */
  readonly confirm: string;
  /** More of its name for screen readers, where several look alike. */
  readonly of: string;
  readonly onConfirm: () => void;
}

/** A button for what cannot be taken back: the first press asks, the second does it. */
export function ConfirmButton({ icon, label, confirm, of, onConfirm }: ConfirmButtonProps) {
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    if (!asked) return undefined;
    const timer = setTimeout(() => setAsked(false), patience);
    return () => clearTimeout(timer);
  }, [asked]);
  const press = (): void => {
    setAsked(!asked);
    if (asked) onConfirm();
  };
  return (
    <button
      type="button"
      class={`button small ${asked ? 'asked-again' : 'quiet-button'}`}
      onClick={press}
      onBlur={() => setAsked(false)}
    >
      <Icon name={icon} size={15} /> {asked ? confirm : label}
      <span class="off-screen"> {of}</span>
    </button>
  );
}
