/** Whether something is what a rule means. `maybe`: it is not known before it runs. */
export type Fit = 'yes' | 'maybe' | 'no';

const order: { readonly [F in Fit]: number } = { no: 0, maybe: 1, yes: 2 };

/** How far all of them fit; `yes` where there are none. */
export function all(fits: readonly Fit[]): Fit {
  return fits.reduce((least, fit) => (order[fit] < order[least] ? fit : least), 'yes');
}

/** How far at least one of them fits; `no` where there are none. */
export function some(fits: readonly Fit[]): Fit {
  return fits.reduce((most, fit) => (order[fit] > order[most] ? fit : most), 'no');
}

/** A condition that is known. */
export function known(is: boolean): Fit {
  return is ? 'yes' : 'no';
}
