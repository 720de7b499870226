import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shrink } from '../../../src/tools/shell/shrink.ts';
import { filterFor } from '../../../src/tools/shell/shrink/filters.ts';

/** What is left of an output, without the note. */
function shrunk(command: string, output: string): string {
  const { text, before, after } = shrink(command, output);
  expect(text).toMatch(/\n\[output compressed from \d+ to \d+ tokens\]$/);
  expect(before).toBeGreaterThan(after ?? Infinity);
  return text.replace(/\n\[output compressed [^\n]*$/, '');
}

const log = (count: number): string =>
  Array.from(
    { length: count },
    (_, at) =>
      `commit ${String(at).repeat(40).slice(0, 40)} (HEAD -> main)\nMerge: 1 2\nAuthor: Ada Lovelace <ada@example.org>\nDate:   Mon Nov 3 18:11:00 2026 +0000\n\n    Subject ${at}\n\n    A body that says more.\n\n src/a.ts       | 12 ++++++------\n src/deep/b.png | Bin 0 -> 12 bytes\n 2 files changed, 6 insertions(+), 6 deletions(-)\n`,
  ).join('\n');

const diff = `diff --git a/src/a.ts b/src/a.ts
index 1111111..2222222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,7 +1,7 @@ class A {
 one
 two
 three
-four
+FOUR
 five
 six
 seven
@@ -20,4 +20,5 @@
 x
+y
 z
 end
-last
diff --git a/old.ts b/new.ts
similarity index 100%
rename from old.ts
rename to new.ts
`;

const status = `On branch main
Your branch is ahead of 'origin/main' by 1 commit.
  (use "git push" to publish your local commits)

Changes to be committed:
  (use "git restore --staged <file>..." to unstage)
\tmodified:   src/a.ts

Changes not staged for commit:
  (use "git add <file>..." to update what will be committed)
\tdeleted:    src/b.ts

Untracked files:
  (use "git add <file>..." to include in what will be committed)
\tnew file.ts

`;

describe('which command is shortened', () => {
  test.each([
    'git log',
    'git log -5 --stat',
    'git -C sub -c core.pager=cat --no-pager log',
    'git diff HEAD~1 -- src',
    'git status',
    'GIT_PAGER= git status',
    'grep -rn foo src',
    "grep -R --include='*.ts' 'a b' .",
    'rg -n "foo bar"',
    "find . -name '*.ts'",
    'find . -not -name x',
    'fd ts',
    'npm test',
    'npx vitest run test/a.test.ts',
    'npm exec -- jest',
    'python -m pytest -q',
    'cargo test',
  ])('SHRINK-01 %s', (command) => {
    expect(filterFor(command)).not.toBeNull();
  });

  test.each([
    ['another one', 'ls -la'],
    ['another verb', 'git show'],
    ['none', ''],
    ['a name of an object', 'constructor'],
    ['a pipeline', 'git log | cat'],
    ['a list', 'git log; ls'],
    ['a list', 'cd x && git status'],
    ['a job', 'git log &'],
    ['a redirect', 'git diff > x'],
    ['a redirect of errors', 'git diff 2>&1'],
    ['several lines', 'git log\nls'],
    ['an expansion', 'git log $X'],
    ['an expansion in quotes', 'grep -rn "$X" .'],
    ['a substitution', 'git log `x`'],
    ['a group', '(git log)'],
    ['a negation', '! git diff'],
    ['an open quote', "grep -rn 'x"],
    ['a custom format', 'git log --pretty=format:%h'],
    ['a custom format', 'git log --format=%h'],
    ['one line for each', 'git log --oneline'],
    ['patches', 'git log -p'],
    ['a context of its own', 'git diff -U10'],
    ['a summary', 'git diff --stat'],
    ['a form for programs', 'git status --porcelain'],
    ['a short form, together with another option', 'git status -sb'],
    ['names alone', 'grep -rl foo .'],
    ['context', 'grep -rn -A3 foo .'],
    ['a single file, which the lines do not name', 'grep foo a.ts'],
    ['no sign of file names', 'rg foo'],
    ['a program for each', 'find . -exec cat {} +'],
    ['a program for each', "find . -name x -exec rm '{}' ';'"],
    ['a report of its own', 'npx vitest run --reporter=json'],
    ['a runner that is not known', 'phpunit'],
  ])('SHRINK-02 not %s: %s', (_, command) => {
    expect(filterFor(command)).toBeNull();
  });
});

describe('what is left', () => {
  test('SHRINK-01 of git log a line for each commit, with the files that --stat tells', () => {
    expect(shrunk('git log --stat', log(2))).toBe(
      [0, 1]
        .map(
          (at) =>
            `${String(at).repeat(10)} 2026-11-03 Ada Lovelace: Subject ${at}\n  src/a.ts 12\n  src/deep/b.png Bin 0 -> 12 bytes\n  2 files changed, 6 insertions(+), 6 deletions(-)`,
        )
        .join('\n'),
    );
  });

  test('SHRINK-01 of git diff the changes, with a line around them', () => {
    expect(shrunk('git diff', diff)).toBe(
      'src/a.ts\n@@ -1,7 +1,7 @@ class A {\n three\n-four\n+FOUR\n five\n@@ -20,4 +20,5 @@\n x\n+y\n z\n end\n-last\na/old.ts b/new.ts\nsimilarity index 100%\nrename from old.ts\nrename to new.ts',
    );
    const far = `diff --git a/a b/a\nindex 1..2\n--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n-1\n+I\n 2\n 3\n 4\n 5\n-6\n+VI\n`;
    expect(shrunk('git diff', far)).toBe('a\n@@ -1,9 +1,9 @@\n-1\n+I\n 2\n~\n 5\n-6\n+VI');
  });

  test('SHRINK-01 of git status the states, without the hints', () => {
    expect(shrunk('git status', status)).toBe(
      "On branch main\nYour branch is ahead of 'origin/main' by 1 commit.\nstaged:\n  modified: src/a.ts\nnot staged:\n  deleted: src/b.ts\nuntracked:\n  new file.ts",
    );
  });

  test('SHRINK-01 of grep and rg each file once, its first lines, long ones cut', () => {
    const lines = Array.from({ length: 25 }, (_, at) => `src/a.ts:${at + 1}:match ${at}`);
    const text = shrunk('grep -rn match .', `${lines.join('\n')}\nsrc/b.ts:7:${'😀'.repeat(300)}\n`).split('\n');
    expect(text.slice(0, 3)).toEqual(['src/a.ts', '1: match 0', '2: match 1']);
    expect(text.slice(-4)).toEqual(['20: match 19', '  and 5 more lines in this file', 'src/b.ts', `7: ${'😀'.repeat(200)}…`]);
  });

  test('SHRINK-01 of find and fd each folder once', () => {
    const deep = 'src/a/folder/that/is/deep';
    expect(shrunk('find src', `src\n${deep}/x.ts\n${deep}/y.ts\n${deep}/z/\nsrc/b.ts\n`)).toBe(
      `src\n${deep}/ x.ts, y.ts, z/\nsrc/ b.ts`,
    );
    const many = Array.from({ length: 70 }, (_, at) => `src/file${at}.ts`).join('\n');
    expect(shrunk('fd ts', many)).toMatch(/^src\/ file0\.ts, .*file59\.ts, and 10 more$/);
  });

  test('SHRINK-01 of a test run the failures and the summary', () => {
    const output = `\u001B[1mRUN\u001B[22m v4\n\n ✓ a is fine 3ms\n${' ✓ b is fine\n'.repeat(9)} × c fails\n   AssertionError: expected 1 to be 2\n ✓ d is fine\n\n Tests 1 failed | 3 passed\n`;
    expect(shrunk('npx vitest run', output)).toBe(
      'RUN v4\n\n(10 lines about passed tests)\n × c fails\n   AssertionError: expected 1 to be 2\n(1 line about passed tests)\n\n Tests 1 failed | 3 passed',
    );
    const go =
      '=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestLong\n--- PASS: TestLong (0.00s)\n=== RUN   TestB\n    b_test.go:3: no\n--- FAIL: TestB (0.00s)\nFAIL\n';
    const pytest = 'tests/a.py::test_a PASSED [ 10%]\n'.repeat(5);
    expect(shrunk('pytest -v', `${pytest}tests/a.py::test_b FAILED [100%]\n`)).toBe(
      '(5 lines about passed tests)\ntests/a.py::test_b FAILED [100%]',
    );
    expect(shrunk('go test ./...', `${go}ok  \texample.org/x\t0.1s\n`)).toBe(
      '(5 lines about passed tests)\n    b_test.go:3: no\n--- FAIL: TestB (0.00s)\nFAIL\n(1 line about passed tests)',
    );
  });

  test('SHELL-07 SHRINK-01 where the middle was cut out, each side is shortened and the mark stays', () => {
    const text = shrunk('git log --stat', `${log(2)}[512 bytes cut]\n${log(1)}`);
    expect(
      text
        .split('\n')
        .filter((line) => /^\d{10} |bytes cut/.test(line))
        .map((line) => line.slice(0, 17)),
    ).toEqual(['0000000000 2026-1', '1111111111 2026-1', '[512 bytes cut]', '0000000000 2026-1']);
    expect(shrunk('git log --stat', `${log(2)}[512 bytes cut]\n    half a commit\n`)).toMatch(
      /\[512 bytes cut\]\nhalf a commit$/,
    );
  });
});

describe('what stays as it is', () => {
  test('SHRINK-03 SHRINK-10 blank output, and one of a command that has no filter; nothing was measured', () => {
    for (const [command, output] of [
      ['git log', ''],
      ['git log', ' \n'],
      ['ls', 'a\nb\n'],
      ['git log | cat', log(3)],
    ] as const) {
      expect(shrink(command, output)).toEqual({ text: output, before: null, after: null });
    }
  });

  test('SHRINK-04 an output that the filter does not know, or fails at', () => {
    const message = 'fatal: not a git repository (or any of the parent directories): .git\n';
    for (const command of ['git log', 'git diff', 'git status']) expect(shrink(command, message).text).toBe(message);
    for (const output of ['12:one file alone\n', 'no colon\n']) expect(shrink('grep -rn x .', output).text).toBe(output);
    expect(shrink('find .', './a, b\n./a, c\n').text).toBe('./a, b\n./a, c\n');
    const broken = () => () => {
      throw new Error('broken');
    };
    expect(shrink('x', 'output', { filters: broken })).toEqual({ text: 'output', before: null, after: null });
  });

  test('SHRINK-05 no note, and the output itself, where nothing is saved', () => {
    const same = { filters: () => (output: string) => output };
    expect(shrink('x', 'output', same)).toEqual({ text: 'output', before: null, after: null });
    const longer = { filters: () => (output: string) => `${output} and much, much more` };
    expect(shrink('x', 'output', longer).text).toBe('output');
  });
});

test('SHRINK-05 SHRINK-06 SHRINK-08 the note tells the tokens before and after, on a line of its own', () => {
  const shorter = { filters: () => () => 'short', tokens: (text: string) => text.length };
  expect(shrink('x', 'a longer output', shorter)).toEqual({
    text: 'short\n[output compressed from 15 to 5 tokens]',
    before: 15,
    after: 5,
  });
});

test('SHRINK-07 everything is capped, cut at code points', () => {
  expect(shrink('ls', '😀'.repeat(12_000)).text).toBe('😀'.repeat(12_000));
  expect(shrink('ls', `${'😀'.repeat(6000)}x${'é'.repeat(6000)}`).text).toBe(
    `${'😀'.repeat(6000)}\n[1 characters cut]\n${'é'.repeat(6000)}`,
  );
  const filtered = shrink('x', 'z'.repeat(40), { filters: () => () => 'y'.repeat(20), cap: 10 });
  expect(filtered.text).toBe('yyyyy\n[10 characters cut]\nyyyyy\n[output compressed from 10 to 5 tokens]');
});

test('SHRINK-04 no output keeps the object busy', () => {
  for (const unit of [' ', ':', ' |', '\u001B]', '\u001B[0', ' <', '::a', ' ✓']) {
    for (const command of ['git log --stat', 'git status', 'grep -rn x .', 'find .', 'npm test']) {
      const output = `commit 0123456789\n x${unit.repeat(30_000)}\n`;
      expect(shrink(command, output, { cap: Infinity }).text.length).toBeGreaterThan(0);
    }
  }
});

test('SHRINK-04 SHRINK-05 whatever a command printed, the text is no longer and no filter fails', () => {
  const line = fc.oneof(
    fc.constantFrom(
      'commit 0123456789',
      'Author: A <a@b>',
      '    subject',
      'diff --git a/a b/a',
      '@@ -1 +1 @@',
      '+x',
      '-y',
      ' z',
      'On branch main',
      '\tnew:  x',
      'a/b.ts:3:text',
      'src/x/y',
      ' ✓ ok',
      '[3 bytes cut]',
      '',
    ),
    fc.string({ maxLength: 12 }),
  );
  const command = fc.constantFrom('git log', 'git diff', 'git status', 'grep -rn x .', 'find .', 'npm test');
  fc.assert(
    fc.property(command, fc.array(line, { maxLength: 20 }), (given, lines) => {
      const output = lines.join('\n');
      const { text, before, after } = shrink(given, output);
      if (before === null) expect(text).toBe(output);
      else expect(after).toBeLessThan(before);
    }),
    { numRuns: 2000 },
  );
});
