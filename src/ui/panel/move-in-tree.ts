/** Arrow keys in the tree: up and down go from line to line, right opens a folder or goes into it, left closes it or goes to the one around it. */
export function moveInTree(event: KeyboardEvent): void {
  const here = event.currentTarget;
  if (!(here instanceof HTMLButtonElement) || event.altKey || event.ctrlKey || event.metaKey) return;
  const lines = [...(here.closest('.files')?.querySelectorAll<HTMLButtonElement>('.file-name') ?? [])];
  const at = lines.indexOf(here);
  const expanded = here.getAttribute('aria-expanded');
  switch (event.key) {
    case 'ArrowDown':
      lines[at + 1]?.focus();
      break;
    case 'ArrowUp':
      lines[at - 1]?.focus();
      break;
    case 'Home':
      lines[0]?.focus();
      break;
    case 'End':
      lines.at(-1)?.focus();
      break;
    case 'ArrowRight':
      if (expanded === 'false') here.click();
      else if (expanded === 'true') lines[at + 1]?.focus();
      break;
    case 'ArrowLeft':
      if (expanded === 'true') here.click();
      else parentOf(here)?.focus();
      break;
    default:
      return;
  }
  event.preventDefault();
}

function parentOf(line: Element): HTMLElement | null {
  const list = line.closest('.below');
  return list?.parentElement?.querySelector<HTMLElement>('.file-name') ?? null;
}
