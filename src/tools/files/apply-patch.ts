import * as z from 'zod';
import { type Tool, tool } from '../../core/index.ts';
import { commit } from './commit.ts';
import { Drafts } from './drafts.ts';
import { fileLimits } from './limits.ts';
import { parsePatch } from './patch.ts';
import type { Workspace } from './port.ts';
import { refusal } from './refuse.ts';

/** The tool `apply_patch {patch}`: a patch in the envelope of Codex, over several files, as a whole or not at all (FILES-05 to FILES-07). */
export function applyPatchTool(files: Workspace): Tool {
  return tool({
    name: 'apply_patch',
    description: `Changes several files, or several places of a file, at once: all of the patch or nothing. It looks like this:

*** Begin Patch
*** Add File: docs/new.md
+each line of the new file
*** Update File: src/a.ts
*** Move to: src/b.ts
@@ class Greeter {
 a line that is kept
-a line that is removed
+a line that is added
*** Delete File: src/old.ts
*** End Patch

"*** Move to" is left out where the file keeps its name. A hunk holds the changed lines and about three kept lines before and after them, exactly as in the file. After @@ may stand a line that comes before the place, to tell like places apart, and several such lines one below the other; a further hunk of the same file begins with @@, and hunks stand in the order of the file. "*** End of File" after the lines says that they are the last. A hunk that only adds puts its lines behind its header, or at the end of the file without one.

Refused, and nothing is changed then: a file that you have not read in this conversation or that has changed since, because you would change what you do not know; a hunk whose lines are not in the file, or are there several times, because the place is not clear; an added file or a move to a path that exists; a changed file that does not; a path outside the project; a binary file. Line ends and a missing last line break stay as they are. The user may be asked and may refuse.`,
    input: z.strictObject({
      patch: z
        .string()
        .max(fileLimits.patchLength)
        .describe('The patch, from "*** Begin Patch" to "*** End Patch". Paths are relative to the root of the project.'),
    }),
    hints: {},
    async call({ patch }, call) {
      const parsed = parsePatch(patch);
      if (!parsed.ok) return refusal({ code: 'patch_refused', path: '', message: parsed.message });
      const drafts = new Drafts(files);
      for (const section of parsed.sections) {
        const played = await drafts.play(section);
        if (!played.ok) return refusal({ ...played.problem, message: `${played.problem.message} Nothing was changed.` });
      }
      const lines = drafts.done.map(({ letter, path, from }) =>
        from === null ? `${letter} ${path}` : `${letter} ${from} -> ${path}`,
      );
      return commit(files, call, drafts.changes, drafts.edits, `Applied the patch:\n${lines.join('\n')}`);
    },
  });
}
