import { type FileOutcome, resolvePath } from '../tools/index.ts';
import { readBody } from './bodies.ts';
import { workspaceLimits } from './limits.ts';
import { joined } from './node.ts';
import { refused } from './problem.ts';
import { readFile } from './rows.ts';

/** The path that a path stands for, every link on the way followed. Refuses what leads out of the workspace, and links in a circle (FILES-02). */
export function follow(sql: SqlStorage, path: string): FileOutcome<string> {
  let ahead = names(path);
  let real = '';
  let hops = 0;
  while (ahead.length > 0) {
    const [name = '', ...rest] = ahead;
    const next = joined(real, name);
    const row = readFile(sql, next);
    if (row?.kind === 'link') {
      hops += 1;
      if (hops > workspaceLimits.hops)
        return refused('path_refused', path, `${path} goes through too many links, or in a circle.`);
      const target = linkTarget(real, targetOf(sql, row.hash));
      if (!target.ok) return refused('path_refused', path, `${next} is a link that leads out of the workspace.`);
      ahead = [...names(target.value), ...rest];
      real = '';
    } else {
      ahead = rest;
      real = next;
    }
  }
  return { ok: true, value: real };
}

/** Where a link in a folder leads: its target is relative to that folder. Refuses one that is absolute or leads out of the workspace. */
export function linkTarget(folder: string, target: string): FileOutcome<string> {
  if (folder === '' || target.startsWith('/') || /^[A-Za-z]:/.test(target)) return resolvePath(target);
  return resolvePath(`${folder}/${target}`);
}

function names(path: string): readonly string[] {
  return path === '' ? [] : path.split('/');
}

/** What the link with this body says. */
export function targetOf(sql: SqlStorage, hash: string): string {
  const body = readBody(sql, hash);
  return 'bytes' in body ? new TextDecoder().decode(body.bytes) : '';
}
