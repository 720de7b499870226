import * as z from 'zod';
import { accepted, issuesOf, type Outcome, refused } from '../session/protocol/index.ts';
import type { RequestContext } from './route.ts';

/** The query of a request, checked. */
export function readQuery<S extends z.ZodObject>(c: RequestContext, schema: S): Outcome<z.output<S>> {
  return checked(c.req.query(), schema, 'The query has parameters that cannot be used.');
}

/** A value, checked; a refusal that names each issue otherwise. */
export function checked<S extends z.ZodType>(value: unknown, schema: S, detail: string): Outcome<z.output<S>> {
  const parsed = z.safeParse(schema, value);
  return parsed.success ? accepted(parsed.data) : refused('bad_request', detail, { issues: issuesOf(parsed.error) });
}
