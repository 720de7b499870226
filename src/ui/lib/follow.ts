/** Whether the transcript keeps its newest line in sight. It follows what the reader means to do, never a distance alone. */
export interface Follow {
  readonly attached: boolean;
  /** Until when (ms) a scroll that reaches the end counts as the reader's own move down. */
  readonly downUntil: number;
}

/** What a reader does. `away`: any move up, a selection, the find box. `gap` is in px from the end. Times in ms. */
export type FollowInput =
  | { readonly type: 'away' }
  | { readonly type: 'down'; readonly at: number }
  | { readonly type: 'scrolled'; readonly gap: number; readonly at: number }
  | { readonly type: 'end' };

/** How long after a move down its scrolling still counts, in ms: a flick runs on. */
export const downIntent = 1500;

/** How near the end counts as being there, in px. */
export const nearEnd = 8;

/** A fresh page follows. */
export const following: Follow = { attached: true, downUntil: 0 };

/** The next state after an input. Growing text alone never changes it. */
export function follow(state: Follow, input: FollowInput): Follow {
  switch (input.type) {
    case 'away':
      return { attached: false, downUntil: 0 };
    case 'down':
      return { ...state, downUntil: input.at + downIntent };
    case 'scrolled':
      return !state.attached && input.gap <= nearEnd && input.at <= state.downUntil ? { ...state, attached: true } : state;
    case 'end':
      return { attached: true, downUntil: 0 };
  }
}
