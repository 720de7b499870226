/** The middle of some measurements. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The measurement below which this share of them lies, between neighbours in proportion. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (below === undefined || above === undefined) throw new Error('Nothing was measured.');
  return below + (above - below) * (place - Math.floor(place));
}

/** Measures every contestant `rounds` times, in turn and not one after the other, so that what disturbs the machine hits all alike. */
export async function interleaved<C, M>(
  contestants: readonly C[],
  rounds: number,
  measure: (contestant: C) => Promise<M>,
): Promise<ReadonlyMap<C, readonly M[]>> {
  const measured = new Map<C, M[]>(contestants.map((contestant) => [contestant, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [contestant, values] of measured) values.push(await measure(contestant));
  return measured;
}
