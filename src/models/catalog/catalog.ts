import data from './catalog.json' with { type: 'json' };
import type { Catalog } from './types.ts';

/** The catalogue of this release, as `npm run catalog` made it. */
export const catalog = data as unknown as Catalog;
