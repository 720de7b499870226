import { type FileChange, pathLimits, resolvePath } from '../tools/index.ts';
import type { ReadyChange } from './apply.ts';
import { hasBody, type NewBody, putBody } from './bodies.ts';
import { workspaceLimits } from './limits.ts';
import type { Added } from './objects.ts';
import { Refusal, refused, valueOf } from './problem.ts';
import { hashOf } from './upload.ts';

/** A change that is ready to be made, with the body that it needs. */
export interface Plan {
  readonly change: ReadyChange;
  readonly body: NewBody | null;
}

/** A body that a plan counted on is gone meanwhile: upload it after all. */
export class BodyGone extends Error {}

/** The plan of a change. What can be refused without looking is thrown, as a Refusal. */
export function planOf(change: FileChange): Plan {
  switch (change.type) {
    case 'write':
      return putPlan('file', change.path, change.bytes, {
        executable: change.executable ?? null,
        target: null,
        ifRev: change.ifRev,
      });
    case 'link': {
      const { path, target, ifRev } = change;
      const bytes = new TextEncoder().encode(target);
      if (bytes.length > pathLimits.path)
        throw new Refusal('path_refused', path, `The target of a link has at most ${pathLimits.path} bytes.`);
      return putPlan('link', path, bytes, { executable: false, target, ifRev });
    }
    case 'folder':
      return { change: { type: 'folder', path: valueOf(resolvePath(change.path)) }, body: null };
    case 'delete':
      return { change: { type: 'delete', path: valueOf(resolvePath(change.path)), ifRev: change.ifRev }, body: null };
    case 'move': {
      const [path, to] = [valueOf(resolvePath(change.from)), valueOf(resolvePath(change.to))];
      return { change: { type: 'move', path, to, ifRev: change.ifRev }, body: null };
    }
  }
}

function putPlan(
  kind: 'file' | 'link',
  given: string,
  bytes: Uint8Array,
  rest: Pick<Extract<ReadyChange, { type: 'put' }>, 'executable' | 'target' | 'ifRev'>,
): Plan {
  const path = valueOf(resolvePath(given));
  if (bytes.length > workspaceLimits.file) valueOf(tooLarge(path));
  const body = { hash: hashOf(bytes), size: bytes.length, bytes };
  return { change: { type: 'put', path, kind, hash: body.hash, size: body.size, ...rest }, body };
}

/** The plan, its body being the object that it was uploaded to, if it was. `hashes` are those of the uploads, in their order. */
export function uploaded(plan: Plan, hashes: readonly string[], added: readonly Added<unknown>[]): Plan {
  const { body } = plan;
  const upload = body === null ? undefined : added[hashes.indexOf(body.hash)];
  return body === null || upload === undefined
    ? plan
    : { ...plan, body: { hash: body.hash, size: body.size, object: upload.key } };
}

/** Stores the body of a plan; gives how many bytes that added. Throws BodyGone for a large one that counted on being stored. */
export function storeBody(sql: SqlStorage, body: NewBody): number {
  const isLarge = 'bytes' in body && body.size > workspaceLimits.inline;
  if (isLarge && !hasBody(sql, body.hash)) throw new BodyGone();
  return isLarge ? 0 : putBody(sql, body);
}

/** The refusal of a file that is too large. */
export function tooLarge(path: string): ReturnType<typeof refused> {
  return refused('too_large', path, `${path} would have more than ${workspaceLimits.file} bytes, the most that a file may have.`);
}

/** The refusal of a body that belongs in a bucket, where there is none. */
export function noBucket(path: string): ReturnType<typeof refused> {
  const { inline } = workspaceLimits;
  return refused(
    'too_large',
    path,
    `${path} has more than ${inline} bytes, and this installation has no bucket for larger files.`,
  );
}
