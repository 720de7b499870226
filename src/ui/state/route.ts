import { type Signal, signal } from '@preact/signals';

/** The session that an address names (`/s/<scope>`); null for the front page. */
export function scopeOf(path: string): string | null {
  const match = /^\/s\/([^/]+)$/.exec(path);
  if (match?.[1] === undefined) return null;
  try {
    return decodeURIComponent(match[1]);
  } catch {
    return null;
  }
}

/** The address of a session's page. */
export function pathOf(scope: string): string {
  return `/s/${encodeURIComponent(scope)}`;
}

/** Which session the tab shows: the address bar and its history. */
export class Route {
  readonly scope: Signal<string | null>;

  constructor() {
    this.scope = signal(scopeOf(location.pathname));
    addEventListener('popstate', () => {
      this.scope.value = scopeOf(location.pathname);
    });
  }

  /** Shows a session; `replace` leaves no step in the history. */
  go(scope: string, replace = false): void {
    if (scope === this.scope.value) return;
    if (replace) history.replaceState(null, '', pathOf(scope));
    else history.pushState(null, '', pathOf(scope));
    this.scope.value = scope;
  }
}
