import { useApp } from '../state/app.ts';
import type { ThemeChoice } from '../state/theme.ts';

const choices: readonly { readonly value: ThemeChoice; readonly label: string }[] = [
  { value: 'system', label: 'Auto' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Light, dark, or as the system has it. */
export function ThemeSwitch() {
  const { theme } = useApp();
  return (
    <div class="theme-switch" role="group" aria-label="Colours">
      {choices.map(({ value, label }) => (
        <button key={value} type="button" aria-pressed={theme.value === value} onClick={() => (theme.value = value)}>
          {label}
        </button>
      ))}
    </div>
  );
}
