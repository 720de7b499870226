import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff';
import type { JsonObject } from '../../core/index.ts';
import { fileLimits } from './limits.ts';
import { type Raw, textOfRaw } from './raw.ts';

/** A file before and after a tool changed it; null where there was or is none. A `raw` of null is a content that was not looked at. */
export interface Edited {
  readonly path: string;
  /** Where it was moved from. */
  readonly from: string | null;
  readonly before: { readonly hash: string; readonly raw: Raw | null } | null;
  readonly after: { readonly hash: string; readonly raw: Raw } | null;
}

/**
 * What an application is told of a changed file, for its diffs: hashes (SHA-256) before and after, the lines added and removed, and a unified diff.
 * The counts and the diff are null for what is binary, was not looked at or changed in too many lines; the diff alone where it is too long.
 */
export type FileDelta = JsonObject & {
  readonly path: string;
  readonly from: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly added: number | null;
  readonly removed: number | null;
  readonly diff: string | null;
};

/** The deltas of some files; their diffs together are no longer than `fileLimits.diffBytes`. */
export function deltasOf(edited: readonly Edited[]): readonly FileDelta[] {
  let room: number = fileLimits.diffBytes;
  return edited.map((one) => {
    const delta = deltaOf(one);
    const size = new TextEncoder().encode(JSON.stringify(delta.diff)).length;
    if (size > room) return { ...delta, diff: null };
    room -= size;
    return delta;
  });
}

function deltaOf({ path, from, before, after }: Edited): FileDelta {
  const known = { path, from, before: before?.hash ?? null, after: after?.hash ?? null };
  const unknown = { ...known, added: null, removed: null, diff: null };
  const [old, now] = [before === null ? '' : before.raw, after === null ? '' : after.raw];
  if (old === null || now === null || old.includes('\0') || now.includes('\0')) return unknown;
  const patch = structuredPatch(
    before === null ? '/dev/null' : (from ?? path),
    after === null ? '/dev/null' : path,
    textOfRaw(old),
    textOfRaw(now),
    undefined,
    undefined,
    { context: 3, maxEditLength: fileLimits.diffEdits },
  );
  if (patch === undefined) return unknown;
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    ...known,
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    diff: formatPatch(patch, FILE_HEADERS_ONLY),
  };
}
