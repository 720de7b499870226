import type { TextStore } from './session.ts';

/** A browser's storage as a `TextStore`. Where the browser refuses (full, or switched off) texts last as long as the page. */
export function textStore(storage: () => Storage): TextStore {
  const memory = new Map<string, string>();
  return {
    get(key) {
      try {
        return storage().getItem(key);
      } catch {
        return memory.get(key) ?? null;
      }
    },
    set(key, text) {
      try {
        if (text === null) storage().removeItem(key);
        else storage().setItem(key, text);
      } catch {
        if (text === null) memory.delete(key);
        else memory.set(key, text);
      }
    },
  };
}
