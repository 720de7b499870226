import { describe, expect, it } from 'vitest';
import { extensionOf, imageType, textOfBytes } from '../../src/ui/state/opened-file.ts';
import { Panel } from '../../src/ui/state/panel.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a file in view', () => {
  it('is text where it is UTF-8 without a NUL, and its beginning is text where a character is cut', () => {
    expect(textOfBytes(bytes('größe\n'), false)).toBe('größe\n');
    expect(textOfBytes(bytes(''), false)).toBe('');
    expect(textOfBytes(bytes('aö').slice(0, -1), true)).toBe('a');
    expect(textOfBytes(bytes('aö').slice(0, -1), false)).toBeNull();
    expect(textOfBytes(bytes('a\0b'), false)).toBeNull();
    expect(textOfBytes(new Uint8Array([0xff, 0xfe, 65]), true)).toBeNull();
  });

  it('is a picture by its name, unless it could hold a script', () => {
    expect([imageType({ path: 'a/b.PNG' }), imageType({ path: 'b.svg' }), imageType({ path: 'png' })]).toEqual([
      'image/png',
      null,
      null,
    ]);
    expect([extensionOf('a.b/c'), extensionOf('.gitignore'), extensionOf('x.tar.GZ')]).toEqual(['', '', 'gz']);
  });
});

describe('the side panel', () => {
  const memory = (text: string | null) => {
    const kept = { text };
    return { kept, store: { get: () => kept.text, set: (_key: string, next: string | null) => void (kept.text = next) } };
  };

  it('is as it was left where it has a column, and closed where it would lie over the page', () => {
    const { kept, store } = memory('open changes');
    const panel = new Panel(store);
    expect([panel.open.value, panel.tab.value]).toEqual([false, 'changes']);
    panel.fits(true);
    expect(panel.open.value).toBe(true);
    panel.fits(false);
    expect(panel.open.value).toBe(false);
    panel.show('files');
    expect([panel.open.value, kept.text]).toEqual([true, 'open changes']);
    panel.fits(true);
    panel.setOpen(false);
    expect(kept.text).toBe('closed files');
  });

  it('begins with the files, whatever the device kept', () => {
    expect(new Panel(memory('open nonsense').store).tab.value).toBe('files');
    expect(new Panel(memory(null).store).tab.value).toBe('files');
  });
});
