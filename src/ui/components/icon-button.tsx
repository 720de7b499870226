import type { ComponentChildren, Ref } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface IconButtonProps {
  readonly icon: IconName;
  /** What it does: its name for screen readers and its tooltip. */
  readonly label: string;
  readonly onClick: (event: MouseEvent) => void;
  readonly disabled?: boolean;
  readonly pressed?: boolean;
  readonly class?: string;
  readonly buttonRef?: Ref<HTMLButtonElement>;
  readonly children?: ComponentChildren;
}

/** A button that shows an icon alone. */
export function IconButton({
  icon,
  label,
  onClick,
  disabled = false,
  pressed,
  class: extra = '',
  buttonRef,
  children,
}: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button ${extra}`}
      aria-label={label}
      title={label}
      onClick={onClick}
      disabled={disabled}
      aria-pressed={pressed}
      ref={buttonRef ?? null}
    >
      <Icon name={icon} />
      {children}
    </button>
  );
}
