import { describe, expect, it } from 'vitest';
import { editsAsked, editsDone, type FileEdit } from '../../src/ui/lib/file-edits.ts';
import { readPatch } from '../../src/ui/lib/patch-text.ts';

const plain = (edit: FileEdit | undefined): unknown[] => [
  edit?.what,
  edit?.path,
  edit?.from,
  edit?.added,
  edit?.removed,
  edit?.hunks.flatMap((hunk) => hunk.lines.map(({ kind, text }) => `${kind} ${text}`)),
];

describe('what a call would change, from its input alone', () => {
  it('is the replacement of an edit, without numbers that nobody knows', () => {
    const [edit] = editsAsked('edit_file', { path: 'a.ts', search: 'one\ntwo', replace: 'one\nthree' }) ?? [];
    expect(plain(edit)).toEqual(['edited', 'a.ts', null, 1, 1, ['same one', 'remove two', 'add three']]);
    expect(edit?.source).toBe('asked');
    expect(edit?.hunks[0]?.lines.every((line) => line.before === null && line.after === null)).toBe(true);
  });

  it('is the whole of a written file; what it replaces is not known', () => {
    const [edit] = editsAsked('write_file', { path: 'a.ts', content: 'x\n\ny' }) ?? [];
    expect(plain(edit)).toEqual(['written', 'a.ts', null, 3, null, ['add x', 'add ', 'add y']]);
  });

  it('is each file of a patch', () => {
    const patch = [
      '*** Begin Patch',
      '*** Add File: new.md',
      '+# Hi',
      '*** Update File: src/a.ts',
      '*** Move to: src/b.ts',
      '@@ class A {',
      ' keep',
      '-old',
      '+new',
      '@@',
      '-gone',
      '*** End of File',
      '*** Delete File: old.md',
      '*** End Patch',
    ].join('\n');
    expect(editsAsked('apply_patch', { patch })?.map(plain)).toEqual([
      ['created', 'new.md', null, 1, 0, ['add # Hi']],
      ['moved', 'src/b.ts', 'src/a.ts', 1, 2, ['same keep', 'remove old', 'add new', 'remove gone', 'note *** End of File']],
      ['deleted', 'old.md', null, 0, null, []],
    ]);
    expect(editsAsked('apply_patch', { patch })?.[1]?.hunks.map((hunk) => hunk.at)).toEqual(['@@ class A {', '@@']);
  });

  it('is nothing for another tool, or an input of another form: then the input itself is shown', () => {
    expect(editsAsked('shell', { command: 'x' })).toBeNull();
    expect(editsAsked('edit_file', { path: 'a' })).toBeNull();
    expect(editsAsked('edit_file', null)).toBeNull();
    expect(editsAsked('apply_patch', { patch: 'diff --git a b' })).toBeNull();
  });
});

describe('a patch for showing', () => {
  const inside = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

  it('hides no file behind a mark that is indented, as the tool reads it', () => {
    expect(readPatch(inside('*** Delete File: a', '  *** Add File: b', '+x'))?.map(({ what, path }) => [what, path])).toEqual([
      ['delete', 'a'],
      ['add', 'b'],
    ]);
    expect(readPatch(inside('*** Update File: a', ' *** Move to: b', '-x'))?.[0]?.moveTo).toBe('b');
    expect(readPatch(inside('*** Update File: a', '-x', ' *** Add File: b'))).toHaveLength(1);
  });

  it('is none where it cannot be read', () => {
    for (const text of [
      '',
      inside('hello'),
      inside('*** Delete File: a', 'what is this'),
      '*** Begin Patch\n*** Add File: a\n+x',
    ])
      expect(readPatch(text)).toBeNull();
  });

  it('has CRLF of its own left out, and that of a file shown', () => {
    const lines = ['*** Begin Patch', '*** Add File: a', '+x', '*** End Patch'];
    expect(readPatch(lines.join('\r\n'))?.[0]?.hunks[0]?.lines[0]?.text).toBe('x');
    expect(readPatch(inside('*** Add File: a', '+x\r'))?.[0]?.hunks[0]?.lines[0]?.text).toBe('x\r');
  });

  it('keeps a line that is nothing of a patch', () => {
    expect(readPatch(inside('*** Update File: a', '-x', '?what'))?.[0]?.hunks[0]?.lines.at(-1)).toMatchObject({
      kind: 'note',
      text: '?what',
    });
  });
});

describe('what a call reported', () => {
  it('FILES-08 is read from its value, a file at a time', () => {
    const diff = '--- /dev/null\n+++ b.ts\n@@ -0,0 +1,1 @@\n+x\n';
    const changes = [
      { path: 'b.ts', from: null, before: null, after: 'h', added: 1, removed: 0, diff },
      { path: 'c.bin', from: null, before: 'h', after: 'i', added: null, removed: null, diff: null },
      { path: 'd.ts', from: 'e.ts', before: 'h', after: 'h', added: 0, removed: 0, diff: '' },
      { path: 'f.ts', from: null, before: 'h', after: null, added: 0, removed: 1, diff: null },
      'odd',
    ];
    expect(editsDone({ changes })?.map(plain)).toEqual([
      ['created', 'b.ts', null, 1, 0, ['add x']],
      ['edited', 'c.bin', null, null, null, []],
      ['moved', 'd.ts', 'e.ts', 0, 0, []],
      ['deleted', 'f.ts', null, 0, 1, []],
    ]);
    expect(editsDone({ changes })?.[0]?.source).toBe('done');
    expect([editsDone(null), editsDone(3), editsDone({ paths: [] })]).toEqual([null, null, null]);
  });
});
