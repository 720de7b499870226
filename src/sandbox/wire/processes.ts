import type { EndFrame } from './frames.ts';

/** How many programs may run beside the commands at once; of those that have ended as many are remembered. */
export const processLimit = 8;

/** So many bytes of what a program printed last are kept. */
export const processLogLimit = 1_048_576;

/** A program that was started to run on: its name, which no other life of the box gives again, and how it ended, null while it runs. */
export interface ProcessState {
  readonly id: string;
  readonly command: string;
  readonly end: EndFrame | null;
}

/** Where a piece of an output stands: the place of its first byte, of the oldest that is kept, and how many bytes there were in all. */
export interface LogPlace {
  readonly from: number;
  readonly first: number;
  readonly total: number;
}
