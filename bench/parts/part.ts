import { quantile } from '../lib/stats.ts';
import { figure, type Table } from '../lib/table.ts';

/** A part of the bench: what `npm run bench -- NAME` measures. */
export interface Part {
  readonly name: string;
  measure(): Promise<readonly Table[]>;
}

/** The median of some measurements, and behind it the quarter below and above which lies a quarter of them. */
export function spread(values: readonly number[]): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => figure(quantile(values, share)));
  return `${middle} (${low}–${high})`;
}
