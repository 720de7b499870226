import { DurableObject } from 'cloudflare:workers';

/** The object of one conversation. */
export class Session extends DurableObject {}

/** The list of one participant's sessions. */
export class Directory extends DurableObject {}

export default {
  fetch(): Response {
    return new Response('Reins', { status: 503 });
  },
};
