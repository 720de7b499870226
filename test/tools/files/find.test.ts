import { beforeEach, describe, expect, test } from 'vitest';
import { Cancelled, type JsonObject } from '../../../src/core/index.ts';
import { FakeClock, TestCall } from '../../../src/testing/index.ts';
import { fileLimits, globTool, listDirTool } from '../../../src/tools/index.ts';
import { MemoryWorkspace } from './memory-workspace.ts';
import { read, refusalOf, use } from './use.ts';

let files: MemoryWorkspace;
let clock: FakeClock;

beforeEach(() => {
  files = new MemoryWorkspace();
  clock = new FakeClock();
});

const put = (...paths: readonly string[]) => paths.forEach((path) => files.put(path, 'x'));
const glob = (pattern: string, more: JsonObject = {}) => use(globTool(files, clock), { pattern, ...more });
const list = (input: JsonObject = {}) => use(listDirTool(files), input);

describe('list_dir', () => {
  test('FILES-01 lists what stands directly in a folder: folders, sizes, links', async () => {
    put('src/a.ts', 'src/deep/b.ts', 'src/deep/er/c.ts', 'srcs', 'z.ts');
    files.put('big.bin', new Uint8Array(1536));
    files.link('here', 'z.ts');
    const result = await list();
    expect(read(result)).toBe('big.bin  1.5 KB\nhere  link\nsrc/\nsrcs  1 byte\nz.ts  1 byte');
    expect(read(await list({ path: 'src' }))).toBe('a.ts  1 byte\ndeep/');
    expect(read(await list({ path: './src/deep/' }))).toBe('b.ts  1 byte\ner/');
    expect(result.value).toMatchObject({
      path: '',
      entries: [
        { name: 'big.bin', kind: 'file', size: 1536 },
        { kind: 'link' },
        { name: 'src', kind: 'folder', size: null },
        {},
        {},
      ],
    });
  });

  test('FILES-01 also what a .gitignore leaves out, marked', async () => {
    files.put('.gitignore', 'dist/\n*.log\n');
    put('dist/a.js', 'x.log', 'a.ts', '.git/HEAD');
    expect(read(await list())).toBe(
      '.git/  (left out by .gitignore)\n.gitignore  12 bytes\na.ts  1 byte\ndist/  (left out by .gitignore)\nx.log  1 byte  (left out by .gitignore)',
    );
    expect(read(await list({ path: 'dist' }))).toBe('a.js  1 byte');
  });

  test('FILES-10 of a large project it reads no more than it shows', async () => {
    for (let at = 0; at < 3 * fileLimits.walkPage; at += 1) files.put(`a/${String(at).padStart(5, '0')}/x`, 'x');
    put('b');
    let pages = 0;
    const original = files.list.bind(files);
    files.list = async (folder, page) => {
      pages += 1;
      return original(folder, page);
    };
    expect(read(await list())).toBe('a/\nb  1 byte');
    expect(pages).toBe(3);
    const many = read(await list({ path: 'a' })).split('\n');
    expect(many).toHaveLength(fileLimits.listed + 1);
    expect(many.at(-1)).toBe(`[Only the first ${fileLimits.listed} entries are listed: use glob with a pattern.]`);
  });

  test('FILES-01 a folder at the end is passed over whatever the names in it begin with', async () => {
    put('src/a/x', 'src/a/\uFFFD', 'src/a/\u{1F600}/y', 'src/a/\u{10FFFD}');
    expect(read(await list({ path: 'src' }))).toBe('a/');
    expect(read(await list())).toBe('src/');
  });

  test('FILES-02 FILES-10 an empty folder is told, a path outside, a file and what is missing are refused', async () => {
    expect(read(await list())).toBe('[The folder is empty.]');
    put('src/a.ts');
    expect(refusalOf(await list({ path: '..' }))).toContain('path ".."');
    expect(refusalOf(await list({ path: 'src/a.ts' }))).toBe('src/a.ts is a file (1 byte): read it with read_file.');
    expect(refusalOf(await list({ path: 'lib' }))).toContain('There is no lib.');
  });
});

describe('glob', () => {
  test('FILES-01 finds files in the order of their paths, below a folder where one is given', async () => {
    put('src/a.ts', 'src/x/b.ts', 'test/a.ts', 'a.js');
    expect(read(await glob('*.ts'))).toBe('src/a.ts\nsrc/x/b.ts\ntest/a.ts');
    expect(read(await glob('**/a.*'))).toBe('a.js\nsrc/a.ts\ntest/a.ts');
    const below = await glob('x/*', { path: 'src' });
    expect(read(below)).toBe('src/x/b.ts');
    expect(below.value).toEqual({ paths: ['src/x/b.ts'] });
    expect(read(await glob('*.py'))).toBe('[No file matches *.py.]');
  });

  test('FILES-01 nested .gitignore files with negation hold as in git (fault 23), and what is left out is said', async () => {
    files.put('.gitignore', '*.log\nnode_modules/\n');
    files.put('sub/.gitignore', '!keep.log\n');
    put('sub/keep.log', 'sub/x.log', 'keep.log', 'node_modules/a/index.log', '.git/x.log');
    expect(read(await glob('*.log'))).toBe('sub/keep.log\n[Left out by .gitignore: .git/, keep.log, node_modules/, sub/x.log.]');
    expect(read(await glob('*.log', { ignored: true }))).toBe(
      '.git/x.log\nkeep.log\nnode_modules/a/index.log\nsub/keep.log\nsub/x.log',
    );
  });

  test('FILES-01 a folder that is named outright is searched, and the rules hold below it', async () => {
    files.put('.gitignore', 'node_modules/\n*.log\n');
    put('node_modules/a/x.js', 'node_modules/a/x.log', 'node_modules/a/node_modules/y.js');
    expect(read(await glob('*', { path: 'node_modules/a' }))).toBe(
      'node_modules/a/x.js\n[Left out by .gitignore: node_modules/a/node_modules/, node_modules/a/x.log.]',
    );
  });

  test('FILES-01 a folder that is left out is passed over, not read', async () => {
    files.put('.gitignore', 'dist/\n');
    for (let at = 0; at < 4 * fileLimits.walkPage; at += 1) files.put(`dist/${at}`, 'x');
    put('\u{1F600}', 'z');
    expect(read(await glob('*'))).toBe('.gitignore\nz\n\u{1F600}\n[Left out by .gitignore: dist/.]');
    // Once for the first page, once for what follows the folder, once to find that there is no more; between them others have their turn.
    expect(clock.asked).toEqual([0, 0]);
  });

  test('FILES-01 a folder that is left out is passed over whatever the names in it begin with', async () => {
    files.put('.gitignore', 'dist/\n');
    put('a', 'dist/x', 'dist/\u{1F600}/y', 'dist/\u{10FFFD}');
    expect(read(await glob('a'))).toBe('a\n[Left out by .gitignore: dist/.]');
  });

  test('FILES-01 a page that ends with a file that is left out hides none of the files behind it', async () => {
    files.put('.gitignore', '*.log\ndist/\n');
    for (let at = 0; at < fileLimits.walkPage - 2; at += 1) files.put(`a${String(at).padStart(4, '0')}`, 'x');
    put('x.log', 'x.log.ts', 'y/dist');
    expect(read(await glob('{*.ts,dist}'))).toBe('x.log.ts\ny/dist\n[Left out by .gitignore: x.log.]');
  });

  test('FILES-11 a .gitignore of more than 256 KB is none', async () => {
    const rule = '*.log\n';
    put('a.log');
    files.put('.gitignore', rule.padEnd(262_144, '#'));
    expect(read(await glob('*.log'))).toContain('No file matches');
    files.put('.gitignore', rule.padEnd(262_145, '#'));
    expect(read(await glob('*.log'))).toBe('a.log');
  });

  test('FILES-01 of what is left out the first are named', async () => {
    files.put('.gitignore', '*.log\n');
    put('a.log', 'b.log', 'c.log', 'd.log', 'e.log', 'f.log', 'g.log');
    expect(read(await glob('*.ts'))).toContain('[Left out by .gitignore: a.log, b.log, c.log, d.log, e.log and 2 more.]');
    files.put('.gitignore', '[a-e].log\n');
    expect(read(await glob('*.ts'))).toContain('[Left out by .gitignore: a.log, b.log, c.log, d.log, e.log.]');
  });

  test('FILES-11 the result is bounded, and says so', async () => {
    for (let at = 0; at <= fileLimits.globbed; at += 1) files.put(`f${String(at).padStart(4, '0')}`, 'x');
    const lines = read(await glob('f*')).split('\n');
    expect(lines).toHaveLength(fileLimits.globbed + 1);
    expect(lines.at(-1)).toBe('[There are more: only the first 200 are listed. Narrow the pattern or the path.]');
    expect(read(await glob('f*[1-9]'))).not.toContain('There are more');
  });

  test('FILES-11 CANC-04 it ends when it is cancelled', async () => {
    put('a');
    const call = new TestCall();
    call.cancel();
    await expect(use(globTool(files, clock), { pattern: '*' }, call)).rejects.toThrow(Cancelled);
  });

  test('FILES-02 FILES-11 a pattern without meaning, a path outside and a file are refused', async () => {
    put('a.ts');
    expect(refusalOf(await glob('[a'))).toContain('The pattern [a cannot be used');
    expect(refusalOf(await glob('*', { path: '../x' }))).toContain('path "../x"');
    expect(refusalOf(await glob('*', { path: 'a.ts' }))).toContain('a.ts is a file');
    expect(refusalOf(await glob('*', { path: 'b' }))).toContain('There is no b.');
  });
});

test('FILES-03 both promise to change nothing, so they run beside each other', () => {
  for (const { spec } of [listDirTool(files), globTool(files, clock)]) expect(spec.hints.readOnly).toBe(true);
});
