import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Cable } from './cable.ts';
import { type Server, startServer } from './server.ts';
import { freshSession, launch, missing, Tab } from './tab.ts';

describe.skipIf(missing !== null)('a tab whose network comes and goes', () => {
  let server: Server;
  let browser: Browser;
  let cable: Cable;
  let tab: Tab;
  let witness: Tab;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    cable = new Cable(server.port);
    const near = await cable.lay();
    const far = freshSession(server.address);
    tab = await Tab.open(browser, far.replace(server.address, near));
    witness = await Tab.open(browser, far);
    await tab.page.getByText('2 open').waitFor();
  });
  afterEach(async () => {
    await tab.close('net::ERR_', 'WebSocket');
    await witness.close();
    await cable.remove();
  });

  const reconnecting = (): Promise<void> => tab.page.locator('.badge', { hasText: 'Reconnecting' }).waitFor();
  const live = (): Promise<void> => tab.page.locator('.badge').waitFor({ state: 'detached' });

  it('says so, goes on without a refresh, and misses nothing', async () => {
    await witness.say('say something long');
    await tab.status('Writing');
    cable.pull();
    await reconnecting();
    await tab.picture('reconnecting');
    await witness.status('Idle');
    cable.plug();
    await live();
    await tab.status('Idle');
    expect(await tab.conversation()).toEqual(await witness.conversation());
  });

  it('shows every character once after ten losses in the middle of a reply', async () => {
    await witness.say('say something long');
    await tab.status('Writing');
    for (let loss = 0; loss < 10; loss += 1) {
      cable.pull();
      cable.plug();
      await tab.page.evaluate(() => dispatchEvent(new Event('online')));
      await tab.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
    }
    await Promise.all([tab.status('Idle'), witness.status('Idle')]);
    expect(await tab.conversation()).toEqual(await witness.conversation());
  });

  it('sends what was written meanwhile, once, and keeps it over a reload', async () => {
    cable.pull();
    await reconnecting();
    await tab.say('think first');
    await tab.page.getByText('Waits for the connection').waitFor();
    cable.plug();
    await tab.page.reload();
    await witness.shows('forty-two');
    await tab.status('Idle');
    expect(await witness.page.locator('.row.user').count()).toBe(1);
    expect(await tab.page.locator('.row.user').count()).toBe(1);
    expect(await tab.page.getByText('Waits for the connection').count()).toBe(0);
  });

  it('comes back at once when the reader looks again', async () => {
    cable.pull();
    await reconnecting();
    cable.plug();
    await tab.page.evaluate(() => dispatchEvent(new Event('focus')));
    await live();
    expect(await tab.page.locator('.status.dimmed').count()).toBe(0);
  });

  it('stops a run that goes on in its absence', async () => {
    await tab.say('wait 60 seconds');
    await witness.page.locator('.tool-card.running').waitFor();
    cable.pull();
    await reconnecting();
    await tab.button('Stop').click();
    cable.plug();
    await Promise.all([witness.status('Idle'), tab.status('Idle')]);
    expect(await witness.page.locator('.tool-card.running').count()).toBe(0);
  });
});
