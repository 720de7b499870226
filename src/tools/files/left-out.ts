import type { Step } from './walk.ts';

const named = 5;

/** Gathers what a walk left out, so that the model knows what it does not see. */
export class LeftOut {
  readonly #paths = new Set<string>();

  add({ leftOut }: Step): void {
    for (const path of leftOut) this.#paths.add(path);
  }

  /** A line that names the first of it; none where nothing was left out. */
  notes(): readonly string[] {
    const paths = [...this.#paths];
    if (paths.length === 0) return [];
    const more = paths.length > named ? ` and ${paths.length - named} more` : '';
    return [`[Left out by .gitignore: ${paths.slice(0, named).join(', ')}${more}.]`];
  }
}
