import { common, createLowlight } from 'lowlight';

/** The colours of the usual languages: a chunk of its own, loaded when the first fence needs it. */
export const lowlight = createLowlight(common);
