import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Server, startServer } from './server.ts';
import { freshSession, launch, missing, shown, Tab } from './tab.ts';

describe.skipIf(missing !== null)('two tabs of one session', () => {
  let server: Server;
  let browser: Browser;
  let address: string;
  let a: Tab;
  let b: Tab;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    address = freshSession(server.address);
    a = await Tab.open(browser, address);
    b = await Tab.open(browser, address);
    await b.page.getByText('2 open').waitFor();
  });
  afterEach(async () => {
    await a.close();
    await b.close();
  });

  it('stream the same reply, and a third that comes later shows all of it', async () => {
    await a.say('say something long');
    await Promise.all([a, b].map((tab) => tab.shows('Here is something long')));
    await Promise.all([a, b].map((tab) => tab.status('Writing')));
    const late = await Tab.open(browser, address);
    await Promise.all([a, b, late].map((tab) => tab.status('Idle')));
    const text = await a.conversation();
    expect(text).toHaveLength(2);
    expect(await b.conversation()).toEqual(text);
    expect(await late.conversation()).toEqual(text);
    await late.close();
  });

  it('show markdown as it streams, raw HTML as text, and one element for each finished block', async () => {
    await a.say('show me markdown');
    await b.page.locator('.markdown h3').first().waitFor();
    await b.page
      .locator('.markdown h3')
      .first()
      .evaluate((heading) => heading.setAttribute('data-mark', 'kept'));
    await b.status('Idle');
    expect(await b.page.locator('.markdown h3[data-mark=kept]').count()).toBe(1);
    await b.shows("<script>alert('not run')</script>");
    expect(await b.page.locator('.markdown script, .markdown b').count()).toBe(0);
    await b.page.locator('.code-block .hljs-keyword').first().waitFor();
    await a.picture('markdown');
  });

  it('show a tool call with its progress, and its input and result on demand', async () => {
    await a.say('wait 2 seconds');
    await b.page.locator('.tool-card.running progress').waitFor();
    await a.picture('tool-running');
    await b.status('Idle');
    await b.page.locator('.tool-card summary').click();
    await b.page.locator('.fields', { hasText: 'seconds' }).waitFor();
    expect(await shown(b.page.locator('.tool-body pre', { hasText: 'Waited 2 seconds.' }))).toBe(true);
  });

  it('fold reasoning, and open it on demand', async () => {
    await a.say('think first');
    await b.status('Idle');
    const reasoning = b.page.locator('.reasoning');
    expect(await reasoning.getAttribute('open')).toBeNull();
    await reasoning.locator('summary').click();
    await b.page.locator('.reasoning-text').waitFor();
    expect((await b.page.locator('.reasoning-text').textContent())?.length).toBeGreaterThan(20);
  });

  it('answer an approval from the other tab, which unlocks the first', async () => {
    await a.say('write a note: buy milk');
    await a.status('Needs you');
    await a.page.locator('.ask', { hasText: 'buy milk' }).waitFor();
    expect(await a.page.title()).toContain('Needs you');
    expect(await a.page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Message');
    await a.picture('approval');
    await b.button('Allow').click();
    await a.status('Idle');
    await a.shows('The note is written.');
    expect(await a.page.locator('.tray').count()).toBe(0);
    expect(await a.page.locator('.tool-card.done').count()).toBe(1);
  });

  it('deny with a note that the agent reads', async () => {
    await a.say('write a note: buy milk');
    await b.button('Add a note').click();
    await b.page.getByRole('textbox', { name: 'Note to the agent' }).fill('I have milk');
    await b.button('Deny with note').click();
    await a.status('Idle');
    expect(await shown(a.page.locator('.row.reply', { hasText: 'I have milk' }))).toBe(true);
  });

  it('keep a typed answer over a reload, and answer with it', async () => {
    await a.say('ask me an open question');
    await a.page.locator('.ask textarea').fill('Ada');
    await a.page.reload();
    await a.page.locator('.ask textarea').waitFor();
    expect(await a.page.locator('.ask textarea').inputValue()).toBe('Ada');
    await a.page.locator('.ask textarea').press('Enter');
    await b.shows('You answered: Ada');
  });

  it('offer the choices of a question, and stop asking everywhere once it is answered', async () => {
    await a.say('ask me');
    await b.button('green').click();
    await a.shows('You answered: green');
    await a.status('Idle');
    expect(await a.page.locator('.tray').count()).toBe(0);
  });

  it('stop from the other tab, and say by whom', async () => {
    await a.say('wait 60 seconds');
    await b.page.locator('.tool-card.running').waitFor();
    await b.button('Stop').click();
    await a.status('Idle');
    expect(await shown(a.page.locator('.partial, .notice', { hasText: 'Stopped in another tab' }))).toBe(true);
    expect(await shown(b.page.locator('.partial, .notice', { hasText: 'Stopped by you' }))).toBe(true);
  });

  it('interrupt, edit, reload and resume: the reply goes on after the edit', async () => {
    await a.say('say something long');
    await a.shows('Here is something long');
    await a.button('Interrupt & edit').click();
    const editor = a.page.locator('.partial-editor textarea');
    await editor.waitFor();
    await b.page.getByText('Being edited in another tab').waitFor();
    await editor.fill('My own words, without an end');
    await a.picture('editing');
    await a.page.reload();
    await editor.waitFor();
    expect(await editor.inputValue()).toBe('My own words, without an end');
    await editor.press('Control+Enter');
    await a.status('Idle');
    await b.status('Idle');
    const text = await a.reply.locator('.markdown').textContent();
    expect(text).toMatch(/^My own words, without an end./);
    expect(text?.length).toBeGreaterThan(40);
    expect(await b.reply.locator('.markdown').textContent()).toBe(text);
  });

  it('keep an interrupted reply as it is, or discard it', async () => {
    await a.say('say something long');
    await a.shows('Here is something long');
    await a.button('Interrupt & edit').click();
    await b.button('Keep as is').click();
    await a.page.locator('.row.partial').waitFor({ state: 'detached' });
    expect(await a.page.locator('.row.reply').count()).toBe(1);
    await a.say('say something long');
    await a.page.locator('.row.reply').nth(1).locator('.markdown').waitFor();
    await a.button('Interrupt & edit').click();
    await a.button('Discard').click();
    await b.page.locator('.row.partial').waitFor({ state: 'detached' });
    expect(await b.page.locator('.row.reply').count()).toBe(1);
  });

  it('steer and queue while it runs, and edit, turn and remove what waits', async () => {
    await a.say('wait 60 seconds');
    await a.page.locator('.tool-card.running').waitFor();
    await a.say('think first');
    await a.composer.fill('show me markdown');
    await a.composer.press('Alt+Enter');
    await b.page.locator('.is-steer', { hasText: 'think first' }).waitFor();
    await b.page.locator('.is-queue', { hasText: 'show me markdown' }).waitFor();
    await a.picture('queue');
    await b.page.locator('.is-queue').getByRole('button', { name: 'Edit waiting message' }).click();
    await b.page.getByRole('textbox', { name: 'Edit the waiting message' }).fill('what time is it?');
    await b.button('Save').click();
    await a.page.locator('.is-queue', { hasText: 'what time is it?' }).waitFor();
    await a.button('Steer instead').click();
    await b.page.locator('.is-steer', { hasText: 'what time is it?' }).waitFor();
    await b.page
      .locator('.queue-item', { hasText: 'think first' })
      .getByRole('button', { name: 'Remove waiting message' })
      .click();
    await a.page.locator('.queue-item', { hasText: 'think first' }).waitFor({ state: 'detached' });
    expect(await a.page.locator('.queue-item').count()).toBe(1);
  });

  it('land what was queued when the turn is done, each in a step of its own', async () => {
    await a.say('wait 2 seconds');
    await a.page.locator('.tool-card.running').waitFor();
    await a.composer.fill('think first');
    await a.composer.press('Alt+Enter');
    await b.shows('forty-two');
    await b.status('Idle');
    expect(await b.page.locator('.row.user').count()).toBe(2);
    expect(await b.page.locator('.queue-item').count()).toBe(0);
  });

  it('hold what waits after a stop, and send it when asked', async () => {
    await a.say('wait 60 seconds');
    await a.page.locator('.tool-card.running').waitFor();
    await a.composer.fill('think first');
    await a.composer.press('Alt+Enter');
    await a.page.locator('.is-queue').waitFor();
    await a.button('Stop').click();
    await b.page.locator('.is-held', { hasText: 'think first' }).waitFor();
    await b.button('Send now').click();
    expect(await shown(a.page.locator('.row.reply', { hasText: 'forty-two' }))).toBe(true);
  });

  it('FIN-04 mark a reply that was cut or refused, and say what to do', async () => {
    await a.say('be cut off');
    await b.page.getByRole('complementary', { name: 'Cut off' }).waitFor();
    await b.page.locator('.mark code', { hasText: 'maxOutputTokens' }).waitFor();
    await a.button('Ask to go on').click();
    expect(await a.composer.inputValue()).toBe('Please go on.');
    await a.say('refuse');
    await b.page.getByRole('complementary', { name: 'Declined' }).waitFor();
    // The mark of the reply before stays where it is, here and after a reload.
    expect(await b.page.getByRole('complementary', { name: 'Cut off' }).count()).toBe(1);
    await b.page.reload();
    await b.page.getByRole('complementary', { name: 'Declined' }).waitFor();
    expect(await b.page.getByRole('complementary', { name: 'Cut off' }).count()).toBe(1);
    await a.picture('marks');
  });

  it('say that a turn failed, and try again from the other tab', async () => {
    await a.say('fail');
    await a.status('Failed');
    await a.page.getByRole('region', { name: 'Failed' }).waitFor();
    await a.picture('failed');
    await b.button('Retry').click();
    await b.status('Failed');
    expect(await b.page.locator('.row.user').count()).toBe(1);
  });

  it('rename the session in both tabs, and start over', async () => {
    await a.say('think first');
    await a.status('Idle');
    await a.page.getByRole('heading', { level: 1 }).getByRole('button').click();
    await a.page.getByRole('textbox', { name: 'Title' }).fill('Thoughts');
    await a.page.getByRole('textbox', { name: 'Title' }).press('Enter');
    await b.page.getByRole('heading', { level: 1, name: 'Thoughts' }).waitFor();
    await b.button('Session menu').click();
    await b.page.getByRole('menuitem', { name: 'Start over' }).click();
    expect(await shown(a.page.getByRole('heading', { name: 'What shall we do?' }))).toBe(true);
  });
});
