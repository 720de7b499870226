/** The fields of a key event that the rules read. */
export interface Key {
  readonly key: string;
  readonly isComposing: boolean;
  readonly keyCode: number;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** True while an input method composes: its Enter and Esc belong to it. Safari reports 229 after it has ended. */
export function composing(event: Key): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** What Enter means in a box that sends: on a touch keyboard Return makes a line and only the button sends. */
export function enterMeans(event: Key, touch: boolean): 'send' | 'queue' | 'line' | 'none' {
  if (event.key !== 'Enter' || composing(event)) return 'none';
  if (event.altKey) return 'queue';
  if (event.ctrlKey || event.metaKey) return 'send';
  return event.shiftKey || touch ? 'line' : 'send';
}
