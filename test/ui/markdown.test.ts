import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Blocks, growBlocks, noBlocks } from '../../src/ui/lib/blocks.ts';
import { blockTokens, type MdElement, type MdNode, renderBlock } from '../../src/ui/lib/markdown.ts';

const tree = (blocks: Blocks): readonly MdNode[] => blocks.tokens.flatMap((token) => renderBlock(token) ?? []);
const whole = (text: string): readonly MdNode[] => blockTokens(text).flatMap((token) => renderBlock(token) ?? []);

const elements = (nodes: readonly MdNode[]): readonly MdElement[] =>
  nodes.flatMap((node) => (typeof node === 'string' ? [] : [node, ...elements(node.children)]));
const words = (nodes: readonly MdNode[]): string =>
  nodes.map((node) => (typeof node === 'string' ? node : words(node.children))).join('');

/** Pieces that make documents with every kind of block, and with blocks that merge with what follows. */
const pieces = [
  '# Heading\n\n',
  'A paragraph with **bold**, *emphasis* and `code`.\n\n',
  'Two lines\nof one paragraph',
  '\n',
  '\n\n',
  '- item\n',
  '- item\n\n',
  '  - nested\n',
  '1. one\n',
  '2. two\n\n',
  '3',
  '. three\n',
  '> quote\n',
  '> more\n\n',
  '```ts\nconst a = 1;\n',
  '```\n',
  '```',
  '~~~\n',
  '    indented\n',
  '| a | b |\n',
  '|---|:-:|\n',
  '| 1 | 2 |\n',
  '---\n',
  '===\n',
  '* * *\n',
  '[link](https://example.org)',
  '[ref]',
  '[ref]: https://example.org/ref\n',
  '![image](https://example.org/i.png)',
  '<b>raw</b>',
  '<!-- comment',
  ' -->\n\n',
  '<div>\n',
  '</div>\n\n',
  '- [ ] task\n',
  '- [x] done\n',
  '~~gone~~',
  '**half',
  '`half',
  '[half](https://',
  '&amp; &lt;',
  '\\*',
  '\t',
  '*',
  '_',
  'word ',
  '\r\n',
] as const;
const documents = fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((parts) => parts.join(''));

describe('markdown that streams in', () => {
  it('gives the same tree in random pieces as in one', () => {
    fc.assert(
      fc.property(documents, fc.array(fc.nat({ max: 12 }), { maxLength: 120 }), (text, cuts) => {
        let blocks = noBlocks;
        let at = 0;
        for (const cut of cuts) {
          at = Math.min(text.length, at + cut);
          blocks = growBlocks(blocks, text.slice(0, at), true);
        }
        expect(tree(growBlocks(blocks, text, false))).toEqual(whole(text.replaceAll(/\r\n?/g, '\n')));
      }),
      { numRuns: 400 },
    );
  });

  it('keeps finished blocks as the same objects while the text grows', () => {
    const first = growBlocks(noBlocks, '# One\n\nTwo.\n\nThree.\n\nFo', true);
    const next = growBlocks(first, '# One\n\nTwo.\n\nThree.\n\nFour and more.\n\nFive', true);
    expect(next.tokens[0]).toBe(first.tokens[0]);
    expect(next.tokens[2]).toBe(first.tokens[2]);
  });

  it('begins anew when the text is another one', () => {
    const first = growBlocks(noBlocks, 'One.\n\nTwo.\n\nThree.\n\nFour.', true);
    expect(tree(growBlocks(first, 'Nothing of it.', false))).toEqual(whole('Nothing of it.'));
  });

  it('reads a link again whose definition comes later', () => {
    const before = growBlocks(noBlocks, 'See [it].\n\nTwo.\n\nThree.\n\nFour.\n\n', true);
    const after = growBlocks(before, 'See [it].\n\nTwo.\n\nThree.\n\nFour.\n\n[it]: https://example.org/\n', false);
    expect(
      elements(tree(after))
        .filter((node) => node.tag === 'a')
        .map((node) => node.href),
    ).toEqual(['https://example.org/']);
  });
});

describe('half-typed marks', () => {
  const live = (text: string): readonly MdNode[] => tree(growBlocks(noBlocks, text, true));

  it.each([
    ['an open strong', 'Some **bol', [{ tag: 'p', children: ['Some ', { tag: 'strong', children: ['bol'] }] }]],
    ['a mark that opens nothing yet', 'Some **', [{ tag: 'p', children: ['Some '] }]],
    ['half of a closing mark', 'Some **bold*', [{ tag: 'p', children: ['Some ', { tag: 'strong', children: ['bold'] }] }]],
    ['open code', 'Call `fn(', [{ tag: 'p', children: ['Call ', { tag: 'code', children: ['fn('] }] }]],
    ['half a link', 'See [the page](https://exa', [{ tag: 'p', children: ['See the page'] }]],
    ['half an image', 'See ![a pic](https://exa', [{ tag: 'p', children: ['See '] }]],
    ['dashes under a paragraph', 'Words\n--', [{ tag: 'p', children: ['Words'] }]],
    ['a table without its dashes', 'Words\n\n| a | b |\n|--', [{ tag: 'p', children: ['Words'] }]],
  ])('%s shows its words alone', (_, text, expected) => {
    expect(live(text)).toEqual(expected);
  });

  it('holds back the closing line of a fence while it is typed', () => {
    const [block] = elements(live('```ts\nconst a = 1;\n``'));
    expect(block).toEqual({ tag: 'code_block', children: ['const a = 1;'], lang: 'ts', open: true });
  });

  it('takes nothing from a text that is complete', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom('Words', '**bold**', '`code`', '*soft*', '[page](https://example.org)', 'snake_case', '2 * 3', 'a_b'),
          { minLength: 1 },
        ),
        (parts) => {
          const text = `${parts.join(' and ')}.`;
          expect(live(text)).toEqual(whole(text));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('hostile markdown is inert', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    '<iframe src="https://evil.example"></iframe>',
    '<svg onload=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java\nscript:alert(1))',
    '[x](<java&#x09;script:alert(1)>)',
    '[x](&#106;avascript:alert(1))',
    '[x](\u0001javascript:alert(1))',
    '[x](vbscript:msgbox)',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](file:///etc/passwd)',
    '[x](//evil.example/path)',
    '[x](/api/sessions)',
    '![x](javascript:alert(1))',
    '![x](https://evil.example/pixel?secret=1)',
    '![x](data:image/svg+xml,<svg onload=alert(1)>)',
    '[x]: javascript:alert(1)\n\n[x]',
    '<javascript:alert(1)>',
    '```"><script>alert(1)</script>\ncode\n```',
    '| <img src=x onerror=alert(1)> |\n|---|\n| [x](javascript:alert(1)) |',
    '- [ ] <input autofocus onfocus=alert(1)>',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
  ];
  const attributes = new Set(['tag', 'children', 'href', 'address', 'align', 'start', 'checked', 'lang', 'open']);

  it.each(hostile)('%s', (text) => {
    let blocks = noBlocks;
    for (let end = 0; end <= text.length; end += 3) {
      blocks = growBlocks(blocks, text.slice(0, end), true);
      check(tree(blocks));
    }
    const nodes = tree(growBlocks(blocks, text, false));
    check(nodes);
    expect(elements(nodes).some((node) => node.href?.includes('evil.example') === true && node.tag === 'a')).toBe(false);
  });

  function check(nodes: readonly MdNode[]): void {
    for (const node of elements(nodes)) {
      expect([...attributes]).toEqual(expect.arrayContaining(Object.keys(node)));
      if (node.href !== undefined) expect(node.href).toMatch(/^(https?:\/\/|mailto:)/);
    }
  }

  it('shows raw HTML as the text it is', () => {
    expect(words(whole('Before <b>x</b> after'))).toBe('Before <b>x</b> after');
    expect(words(whole('<div onclick="x">y</div>'))).toBe('<div onclick="x">y</div>');
  });

  it('shows a remote image as its address', () => {
    const chip = elements(whole('![a cat](https://example.org/cat.png)')).find((node) => node.tag === 'chip');
    expect(chip).toEqual({
      tag: 'chip',
      children: ['Image: a cat'],
      address: 'https://example.org/cat.png',
      href: 'https://example.org/cat.png',
    });
  });
});
