import * as z from 'zod';
import { type Clock, errorResult, textResult, type Tool, tool } from '../../core/index.ts';
import { globMatcher } from './glob-pattern.ts';
import { LeftOut } from './left-out.ts';
import { fileLimits } from './limits.ts';
import type { Workspace } from './port.ts';
import { refusal } from './refuse.ts';
import { placeOf, walk } from './walk.ts';

/** The tool `glob {pattern, path?, ignored?}`: the files whose paths match, in the order of their paths, without those that a `.gitignore` leaves out. */
export function globTool(files: Workspace, clock: Clock): Tool {
  return tool({
    name: 'glob',
    description:
      `Finds files by name, at most ${fileLimits.globbed}, in the order of their paths. The pattern may hold * and ? inside a name, ** for any folders, [a-z], and {ts,tsx}; ` +
      'without a slash it means names at any depth. Files that a .gitignore leaves out, and .git, are not searched unless ignored is true or path leads there. ' +
      'Refused: a path outside the project, and a pattern that has no meaning.',
    input: z.strictObject({
      pattern: z.string().min(1).max(fileLimits.patternLength).describe('The pattern, as in src/**/*.ts, relative to path.'),
      path: z.string().optional().describe('The folder to search in. Left out: the whole project.'),
      ignored: z.boolean().optional().describe('Also what a .gitignore leaves out.'),
    }),
    hints: { readOnly: true, idempotent: true },
    async call({ pattern, path: given, ignored = false }, call) {
      const matches = globMatcher(pattern);
      if (matches === null) return errorResult(meaningless(pattern));
      const place = await placeOf(files, given);
      if (!place.ok) return refusal(place.problem);
      const { path, file } = place.value;
      if (file !== null) return errorResult(`${path} is a file: give a folder to search in.`);
      const found: string[] = [];
      const left = new LeftOut();
      for await (const step of walk(files, path, ignored, clock, call)) {
        left.add(step);
        for (const entry of step.entries) {
          if (entry.kind === 'folder' || !matches(entry.path.slice(path === '' ? 0 : path.length + 1).split('/'))) continue;
          found.push(entry.path);
        }
        if (found.length > fileLimits.globbed) break;
      }
      const paths = found.slice(0, fileLimits.globbed);
      const lines: string[] = [...paths];
      if (paths.length === 0) lines.push(`[No file matches ${pattern}.]`);
      if (found.length > paths.length)
        lines.push(`[There are more: only the first ${paths.length} are listed. Narrow the pattern or the path.]`);
      return textResult([...lines, ...left.notes()].join('\n'), { value: { paths } });
    },
  });
}

/** What is said of a glob that cannot be used. */
export function meaningless(pattern: string): string {
  return `The pattern ${pattern} cannot be used: it has a [ that nothing closes, a \\ before nothing, or braces for more than ${fileLimits.alternatives} alternatives.`;
}
