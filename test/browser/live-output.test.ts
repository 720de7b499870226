import type { Browser, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/session/protocol/wire.ts';
import { type Server, startServer } from './server.ts';
import { freshSession, launch, missing, Tab } from './tab.ts';

/** A page whose session's socket the test plays the server of: a command runs and says what the test lets it say. */
class Stage {
  readonly tab: Tab;
  readonly #snapshot: Snapshot;
  #socket: WebSocketRoute | null = null;
  #seq: number;

  private constructor(tab: Tab, snapshot: Snapshot) {
    this.tab = tab;
    this.#snapshot = snapshot;
    this.#seq = snapshot.seq;
  }

  static async open(browser: Browser, address: string): Promise<Stage> {
    const fresh = (await (await fetch(address.replace('/s/', '/api/sessions/'))).json()) as Snapshot;
    const call = { type: 'tool_call', id: 'c1', name: 'shell', input: { command: 'make' } } as const;
    const view = {
      id: 'c1',
      name: 'shell',
      input: call.input,
      json: '',
      state: 'running',
      progress: null,
      outcome: null,
    } as const;
    const snapshot: Snapshot = {
      ...fresh,
      status: 'running',
      run: 'r1',
      turn: 1,
      step: { id: 'm2', content: [call], attributes: {}, calls: [view] },
    };
    const stage = new Stage(await Tab.open(browser, address), snapshot);
    await stage.tab.page.routeWebSocket(/\/socket/, (socket) => stage.#enter(socket));
    await stage.tab.page.reload();
    await stage.tab.page.locator('.tool-card.running').waitFor();
    return stage;
  }

  /** The command says something. */
  say(value: string): void {
    this.#send({ type: 'tool_progress', seq: (this.#seq += 1), run: 'r1', turn: 1, parent: null, id: 'c1', value });
  }

  #enter(socket: WebSocketRoute): void {
    this.#socket = socket;
    this.#send({
      type: 'ready',
      version: { wire: 1, build: 'stage' },
      cursor: `${this.#snapshot.epoch}.${this.#seq}`,
      snapshot: this.#snapshot,
    });
  }

  #send(frame: object): void {
    this.#socket?.send(JSON.stringify(frame));
  }
}

describe.skipIf(missing !== null)('the output of a command that runs', () => {
  let server: Server;
  let browser: Browser;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('SHELL-05 shows as it comes, in colours, never as markup', async () => {
    const stage = await Stage.open(browser, freshSession(server.address));
    const live = stage.tab.page.locator('.live-output');
    stage.say('one\n\u001b[3');
    await live.getByText('one').waitFor();
    stage.say('2mgreen\u001b[0m <b onclick=1>bold</b>\u001b]0;title\u0007\n10%\r100%\n');
    await live.getByText('100%').waitFor();
    expect(await live.locator('pre').textContent()).toBe('one\ngreen <b onclick=1>bold</b>\n100%\n');
    expect(await live.locator('.ansi-2').textContent()).toBe('green');
    expect(await live.locator('b').count()).toBe(0);
    expect(await stage.tab.axe()).toEqual([]);
    await stage.tab.picture('command-runs');
    await stage.tab.close();
  });

  it('follows while the reader is at its end, and moves nothing while they read above', async () => {
    const stage = await Stage.open(browser, freshSession(server.address));
    const { page } = stage.tab;
    const live = page.locator('.live-output');
    const gap = (): Promise<number> => live.evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);
    const lines = (from: number): string => Array.from({ length: 40 }, (_, index) => `line ${from + index}\n`).join('');
    stage.say(lines(0));
    await live.getByText('line 39').waitFor();
    expect(await gap()).toBeLessThanOrEqual(1);
    await live.hover();
    await page.mouse.wheel(0, -60);
    await page.waitForFunction(() => {
      const box = document.querySelector('.live-output');
      return box !== null && box.scrollHeight - box.clientHeight - box.scrollTop >= 59;
    });
    const place = await live.evaluate((box) => box.scrollTop);
    stage.say(lines(40));
    await live.getByText('line 79').waitFor();
    expect(await live.evaluate((box) => box.scrollTop)).toBe(place);
    // The conversation around it goes on following its own end.
    expect(await page.locator('.jump').count()).toBe(0);
    await live.focus();
    await page.keyboard.press('End');
    stage.say(lines(80));
    await live.getByText('line 119').waitFor();
    expect(await gap()).toBeLessThanOrEqual(1);
    await stage.tab.close();
  });

  it('is bounded: what is far up is not kept on the page', async () => {
    const stage = await Stage.open(browser, freshSession(server.address));
    const live = stage.tab.page.locator('.live-output pre');
    for (let part = 0; part < 8; part += 1) stage.say(`${`${'x'.repeat(99)}\n`.repeat(100)}part ${part}\n`);
    await live.getByText('part 7').waitFor();
    const shown = (await live.textContent()) ?? '';
    expect(shown.length).toBeLessThanOrEqual(24_000);
    expect(shown.startsWith('x'.repeat(99))).toBe(true);
    expect(shown).not.toContain('part 4');
    await stage.tab.close();
  });
});
