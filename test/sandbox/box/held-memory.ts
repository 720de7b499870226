import type { BoxMemory, BoxState } from '../../../src/sandbox/index.ts';

/** A memory that lasts as long as the test; two drivers that have it are two lives of one session. */
export function heldMemory(): BoxMemory {
  let held: BoxState | null = null;
  return {
    read: () => held,
    write: (state) => {
      held = state;
    },
  };
}
