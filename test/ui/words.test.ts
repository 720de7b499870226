import { describe, expect, it } from 'vitest';
import type { Summary } from '../../src/session/protocol/wire.ts';
import { colourable, openLimit } from '../../src/ui/lib/highlight.ts';
import { grouped } from '../../src/ui/lib/groups.ts';
import { enterMeans, type Key } from '../../src/ui/lib/keys.ts';
import { ago, duration, tokens } from '../../src/ui/lib/time.ts';
import { callTarget, inputFields, plainLine, progressShare, progressText } from '../../src/ui/lib/tool-text.ts';
import { firstSentence } from '../../src/ui/state/announce.ts';
import { readConfig } from '../../src/ui/state/config.ts';
import { scopeOf } from '../../src/ui/state/route.ts';
import { byWhom, shortName, tabName } from '../../src/ui/state/who.ts';

const key = (more: Partial<Key> = {}): Key => ({
  key: 'Enter',
  isComposing: false,
  keyCode: 13,
  shiftKey: false,
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  ...more,
});

describe('Enter', () => {
  it('sends, makes a line with Shift, queues with Alt', () => {
    expect(enterMeans(key(), false)).toBe('send');
    expect(enterMeans(key({ shiftKey: true }), false)).toBe('line');
    expect(enterMeans(key({ altKey: true }), false)).toBe('queue');
  });

  it('belongs to an input method that composes, in either way that browsers say so', () => {
    expect(enterMeans(key({ isComposing: true }), false)).toBe('none');
    expect(enterMeans(key({ keyCode: 229 }), false)).toBe('none');
  });

  it('makes a line on a touch keyboard, where only the button sends', () => {
    expect(enterMeans(key(), true)).toBe('line');
    expect(enterMeans(key({ ctrlKey: true }), true)).toBe('send');
  });
});

describe('times and counts', () => {
  it('are short', () => {
    expect(ago(0, 59_000)).toBe('now');
    expect(ago(0, 3 * 3_600_000)).toBe('3 h');
    expect(duration(80_000)).toBe('1 min 20 s');
    expect([tokens(950), tokens(1234), tokens(45_678)]).toEqual(['950', '1.2k', '46k']);
  });
});

describe('tool calls in words', () => {
  it('names the input that says most', () => {
    expect(callTarget({ deep: {}, text: 'buy\nmilk' })).toBe('buy milk');
    expect(callTarget({ seconds: 5 })).toBe('seconds 5');
    expect(callTarget(null)).toBe('');
  });

  it('shows the whole input, and what came of one that is not whole', () => {
    expect(inputFields({ text: 'x', list: [1] }, '')).toEqual([
      ['text', 'x'],
      ['list', '[\n  1\n]'],
    ]);
    expect(inputFields(null, '{"te')).toEqual([['', '{"te']]);
    expect(inputFields({}, '{broken')).toEqual([['', '{broken']]);
    expect(inputFields({}, '')).toEqual([]);
  });

  it('reads a count as a share', () => {
    expect(progressShare({ waited: 3, seconds: 20 })).toBeCloseTo(0.15);
    expect(progressText({ waited: 3, seconds: 20 })).toBe('3 of 20 seconds');
    expect(progressShare({ waited: 3, seconds: 20, note: 'x' })).toBeNull();
    expect(progressText({ file: 'a', lines: 3, size: 1 })).toBe('file a, lines 3, size 1');
  });

  it('takes the marks out of a line', () => {
    expect(plainLine('# A **bold** `line`\nand more')).toBe('A bold line and more');
  });
});

describe('the announced sentence', () => {
  it('is the first one, without marks, cut when it is long', () => {
    expect(firstSentence('**Done.** And more.')).toBe('Done.');
    expect(firstSentence('Version 1.5 is out. Yes.')).toBe('Version 1.5 is out.');
    expect(firstSentence('x'.repeat(300))).toHaveLength(160);
  });
});

describe('sessions', () => {
  const summary = (scope: string, more: Partial<Summary>): Summary => ({
    scope,
    title: scope,
    status: 'idle',
    mode: 'chat',
    model: null,
    updated: 0,
    created: 0,
    needs: 0,
    last: '',
    ...more,
  });

  it('stand in groups by what they need', () => {
    const now = new Date(2026, 5, 15, 12).getTime();
    const groups = grouped(
      [
        summary('a', { updated: now }),
        summary('b', { status: 'running', updated: now }),
        summary('c', { status: 'awaiting_input', updated: now }),
        summary('d', { updated: now - 86_400_000 }),
      ],
      now,
    );
    expect(groups.map(({ name, sessions }) => [name, sessions.map(({ scope }) => scope)])).toEqual([
      ['Needs you', ['c']],
      ['Running', ['b']],
      ['Today', ['a']],
      ['Earlier', ['d']],
    ]);
  });

  it('have addresses', () => {
    expect(scopeOf('/s/main')).toBe('main');
    expect(scopeOf('/s/a%3A%3Ab')).toBe('a::b');
    expect(scopeOf('/')).toBeNull();
    expect(scopeOf('/s/%E0%A4%A')).toBeNull();
  });
});

describe('who did it', () => {
  it('tells this tab from another, and both from a program', () => {
    const me = tabName('Mozilla/5.0 (X11; Linux x86_64) Chrome/156', 'ab12');
    expect(me).toBe('Chrome on Linux #ab12');
    expect(shortName(me)).toBe('Chrome on Linux');
    expect(byWhom({ participant: 'local', client: me }, me)).toBe(' by you');
    expect(byWhom({ participant: 'local', client: 'Chrome on Linux #0000' }, me)).toBe(' in another tab');
    expect(byWhom({ participant: 'local', client: 'chat' }, me)).toBe(' by chat');
    expect(byWhom(null, me)).toBe('');
  });
});

describe('the configuration', () => {
  it('says when only the demo speaks', () => {
    const config = readConfig({
      models: [{ name: 'demo', demo: true }],
      modes: [{ name: 'chat' }],
      may: { write: false, scope: 's' },
      shell: 'embedded',
      tools: { chat: ['clock', 3] },
    });
    expect(config).toEqual({
      demo: true,
      models: ['demo'],
      modes: ['chat'],
      tools: new Map([['chat', ['clock']]]),
      mayWrite: false,
      shell: 'embedded',
      onlyScope: 's',
    });
    expect(readConfig({ models: [{ name: 'openai/x', demo: false }] }).demo).toBe(false);
    expect(readConfig('odd')).toEqual({
      demo: false,
      models: [],
      modes: [],
      tools: new Map(),
      mayWrite: true,
      shell: null,
      onlyScope: null,
    });
  });
});

describe('colours of an open fence', () => {
  it('come by whole lines, and not at all above the limit', () => {
    expect(colourable('a\nb\nc', true)).toEqual(['a\nb\n', 'c']);
    expect(colourable('a\nb', false)).toEqual(['a\nb', '']);
    const long = 'x'.repeat(openLimit + 1);
    expect(colourable(long, true)).toEqual(['', long]);
  });
});
