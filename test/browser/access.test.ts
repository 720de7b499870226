import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Server, startServer } from './server.ts';
import { freshSession, launch, missing, shown, Tab } from './tab.ts';

/** Puts a tab into a state that the page must be clean in. */
const states: { readonly [name: string]: (tab: Tab) => Promise<void> } = {
  empty: async () => {},
  'tool call': async (tab) => {
    await tab.say('what time is it?');
    await tab.status('Idle');
    await tab.page.locator('.tool-card summary').click();
  },
  markdown: async (tab) => {
    await tab.say('show me markdown');
    await tab.status('Idle');
    await tab.page.locator('.hljs-keyword').first().waitFor();
  },
  approval: async (tab) => {
    await tab.say('write a note: buy milk');
    await tab.page.locator('.ask').waitFor();
  },
  question: async (tab) => {
    await tab.say('ask me an open question');
    await tab.page.locator('.ask').waitFor();
  },
  'running with a queue': async (tab) => {
    await tab.say('wait 60 seconds');
    await tab.page.locator('.tool-card.running').waitFor();
    await tab.say('think first');
    await tab.page.locator('.is-steer').waitFor();
  },
  editing: async (tab) => {
    await tab.say('say something long');
    await tab.shows('Here is something long');
    await tab.button('Interrupt & edit').click();
    await tab.page.locator('.partial-editor').waitFor();
  },
  failed: async (tab) => {
    await tab.say('fail');
    await tab.status('Failed');
  },
  'cut off': async (tab) => {
    await tab.say('be cut off');
    await tab.page.locator('.mark').waitFor();
  },
};

/** One reader with a mouse at two widths, one with a finger. */
const readers = [
  { options: {}, widths: { wide: { width: 1280, height: 800 }, middle: { width: 820, height: 1000 } } },
  { options: { hasTouch: true, isMobile: true }, widths: { narrow: { width: 390, height: 800 } } },
] as const;

describe.skipIf(missing !== null)('the page for everybody', () => {
  let server: Server;
  let browser: Browser;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it.each(Object.keys(states))('is clean for axe-core in both colours and asks for no sideways scroll: %s', async (name) => {
    const address = freshSession(server.address);
    const first = await Tab.open(browser, address);
    await states[name]?.(first);
    for (const { options, widths } of readers) {
      const tab = await Tab.open(browser, address, { ...options, viewport: Object.values(widths)[0] });
      await tab.page.locator('.status').waitFor();
      if (name !== 'empty') await tab.page.locator('.row').first().waitFor();
      for (const [width, viewport] of Object.entries(widths)) {
        await tab.page.setViewportSize(viewport);
        for (const colorScheme of ['light', 'dark'] as const) {
          await tab.page.emulateMedia({ colorScheme });
          expect(await tab.axe()).toEqual([]);
          expect(await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
          await tab.picture(`${name.replaceAll(' ', '-')}-${width}-${colorScheme}`);
        }
      }
      await tab.close();
    }
    await first.close();
  });

  it('can be used with the keyboard alone', async () => {
    const tab = await Tab.open(browser, freshSession(server.address));
    const { keyboard } = tab.page;
    await keyboard.press('Tab');
    expect(await tab.page.evaluate(() => document.activeElement?.textContent)).toContain('Skip to the conversation');
    await keyboard.press('Enter');
    for (let step = 0; step < 30 && !(await tab.composer.evaluate((box) => box === document.activeElement)); step += 1)
      await keyboard.press('Tab');
    await keyboard.type('write a note: keys');
    await keyboard.press('Enter');
    await tab.page.locator('.ask').waitFor();
    await keyboard.press('Alt+a');
    expect(await tab.page.evaluate(() => document.activeElement?.className)).toContain('ask');
    // Esc answers nothing.
    await keyboard.press('Escape');
    expect(await tab.page.locator('.ask').count()).toBe(1);
    await keyboard.press('a');
    await tab.shows('The note is written.');
    expect(await tab.composer.evaluate((box) => box === document.activeElement)).toBe(true);
    await keyboard.type('wait 60 seconds');
    await keyboard.press('Enter');
    await tab.page.locator('.tool-card.running').waitFor();
    await keyboard.press('Escape');
    await tab.page.getByText('Press Esc again to stop').waitFor();
    await keyboard.press('Escape');
    await tab.status('Idle');
    await tab.close();
  });

  it('says in one polite line what happens, and interrupts for a failure', async () => {
    const tab = await Tab.open(browser, freshSession(server.address));
    const calm = tab.page.locator('p[role=status]');
    await tab.say('write a note: hear');
    await calm.getByText('Needs approval: write note.').waitFor();
    await tab.button('Allow').click();
    await calm.getByText('Done. The note is written.').waitFor();
    await tab.say('fail');
    expect(await shown(tab.page.locator('p[role=alert]').getByText('Failed.'))).toBe(true);
    await tab.close();
  });

  it('leaves Enter to an input method that composes', async () => {
    const tab = await Tab.open(browser, freshSession(server.address));
    await tab.composer.focus();
    const session = await tab.page.context().newCDPSession(tab.page);
    await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 });
    expect(await tab.page.locator('.row').count()).toBe(0);
    await session.send('Input.insertText', { text: '日本' });
    expect(await tab.composer.inputValue()).toBe('日本');
    await tab.composer.press('Enter');
    await tab.page.locator('.row.user:not(.sending, .accepted)', { hasText: '日本' }).waitFor();
    await tab.close();
  });

  it('makes a line with Return on a touch keyboard, and sends with the button', async () => {
    const tab = await Tab.open(browser, freshSession(server.address), {
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      isMobile: true,
    });
    await tab.composer.fill('think');
    await tab.composer.press('Enter');
    await tab.composer.pressSequentially('first');
    expect(await tab.composer.inputValue()).toBe('think\nfirst');
    await tab.button('Send').tap();
    expect(await shown(tab.page.locator('.row.user'))).toBe(true);
    await tab.close();
  });

  describe('the reader moves up while text streams', () => {
    const gestures: { readonly [name: string]: (tab: Tab) => Promise<void> } = {
      'wheel 20 px': (tab) => tab.page.mouse.wheel(0, -20),
      'wheel 200 px': (tab) => tab.page.mouse.wheel(0, -200),
      'Page Up': async (tab) => {
        await tab.page.locator('.transcript').focus();
        await tab.page.keyboard.press('PageUp');
      },
      'a finger': async (tab) => {
        const session = await tab.page.context().newCDPSession(tab.page);
        const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y: number): Promise<unknown> =>
          session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: 500, y }] });
        await touch('touchStart', 300);
        for (let y = 320; y <= 420; y += 20) await touch('touchMove', y);
        await touch('touchEnd', 420);
      },
      // Not by a click: it would wait for text that holds still, and then nothing streams any more.
      'a selection': async (tab) => {
        const last = tab.page.locator('.row.reply .markdown p').last();
        await last.evaluate((paragraph) => getSelection()?.selectAllChildren(paragraph));
      },
    };

    /** With the button, since Return makes a line where there is a finger. */
    const press = async (tab: Tab, text: string): Promise<void> => {
      await tab.composer.fill(text);
      await tab.button('Send').click();
    };

    it.each(Object.keys(gestures))('%s lets go at once, and nothing moves after it', async (name) => {
      const tab = await Tab.open(browser, freshSession(server.address), {
        hasTouch: name === 'a finger',
        viewport: { width: 1280, height: 520 },
      });
      await press(tab, 'show me markdown');
      await tab.status('Idle');
      await press(tab, 'say something long');
      await tab.shows('You read this because');
      await tab.page.mouse.move(700, 200);
      await gestures[name]?.(tab);
      await tab.page.locator('.jump').waitFor();
      const place = (): Promise<number> => tab.page.locator('.transcript').evaluate((list) => list.scrollTop);
      // A flick or Page Up glides for a moment.
      await tab.page.locator('.transcript').evaluate(
        (list) =>
          new Promise<void>((resolve) => {
            let last = list.scrollTop;
            let still = 0;
            const look = (): void => {
              still = list.scrollTop === last ? still + 1 : 0;
              last = list.scrollTop;
              if (still > 20) resolve();
              else requestAnimationFrame(look);
            };
            look();
          }),
      );
      const before = await place();
      await tab.status('Idle');
      expect(await place()).toBe(before);
      await tab.page.locator('.jump').click();
      await tab.page.locator('.jump').waitFor({ state: 'detached' });
      expect(
        await tab.page.locator('.transcript').evaluate((list) => list.scrollHeight - list.clientHeight - list.scrollTop),
      ).toBeLessThanOrEqual(1);
      await tab.close();
    });
  });
});
