import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

/** A line of a menu. */
export interface MenuItem {
  readonly icon: IconName;
  readonly label: string;
  readonly keys?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly run: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly icon: IconName;
  readonly items: readonly MenuItem[];
  readonly class?: string;
  /** Opens upwards. */
  readonly up?: boolean;
}

/** A button with a menu: arrows move, Esc closes and gives the focus back. */
export function Menu({ label, icon, items, class: extra = '', up = false }: MenuProps) {
  const [open, setOpen] = useState(false);
  const frame = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const entries = (): readonly HTMLButtonElement[] => [
    ...(frame.current?.querySelectorAll<HTMLButtonElement>('[role=menuitem]:not(:disabled)') ?? []),
  ];

  useEffect(() => {
    if (!open) return undefined;
    entries()[0]?.focus();
    const outside = (event: Event): void => {
      if (!(event.target instanceof Node && frame.current?.contains(event.target))) setOpen(false);
    };
    addEventListener('pointerdown', outside);
    return () => removeEventListener('pointerdown', outside);
  }, [open]);

  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const move = (by: number): void => {
    const all = entries();
    const at = all.findIndex((entry) => entry === document.activeElement);
    all[(at + by + all.length) % all.length]?.focus();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (!open) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Tab') return setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <span class="menu" ref={frame} onKeyDown={onKey}>
      <button
        type="button"
        class={`icon-button ${extra}`}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        ref={button}
        onClick={() => setOpen(!open)}
      >
        <Icon name={icon} />
      </button>
      {open && (
        <div class={`menu-list ${up ? 'up' : ''}`} role="menu" aria-label={label}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={item.danger === true ? 'danger' : undefined}
              disabled={item.disabled === true}
              onClick={() => {
                close();
                item.run();
              }}
            >
              <Icon name={item.icon} size={16} />
              <span>{item.label}</span>
              {item.keys !== undefined && <kbd>{item.keys}</kbd>}
            </button>
          ))}
        </div>
      )}
    </span>
  );
}
