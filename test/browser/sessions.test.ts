import { SignJWT } from 'jose';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Server, startServer } from './server.ts';
import { launch, missing, shown, Tab } from './tab.ts';

describe.skipIf(missing !== null)('the session list', () => {
  let server: Server;
  let browser: Browser;
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
    a = await Tab.open(browser, server.address);
    b = await Tab.open(browser, server.address);
  });
  afterEach(async () => {
    await a.close();
    await b.close();
  });

  const entry = (tab: Tab, title: string) => tab.page.locator('.session', { hasText: title });

  it('leads two tabs of the bare address into one session, and lists it once it was used', async () => {
    expect(new URL(a.page.url()).pathname).toBe(new URL(b.page.url()).pathname);
    await a.say('what time is it?');
    await b.shows('what time is it?');
    await entry(b, 'what time is it?').waitFor();
    await a.status('Idle');
  });

  it('shows new sessions, new titles and new states to every tab', async () => {
    await a.button('New session').click();
    await a.page.getByRole('heading', { name: 'What shall we do?' }).waitFor();
    await a.say('write a note: list');
    await b.page.locator('section', { hasText: 'Needs you' }).locator('.session', { hasText: 'write a note: list' }).waitFor();
    await entry(b, 'write a note: list').getByRole('button').click();
    await b.page.getByRole('menuitem', { name: 'Rename' }).click();
    await b.page.locator('.session').getByRole('textbox', { name: 'Title' }).fill('Groceries');
    await b.page.locator('.session').getByRole('textbox', { name: 'Title' }).press('Enter');
    await a.page.getByRole('heading', { level: 1, name: 'Groceries' }).waitFor();
    await entry(a, 'Groceries').waitFor();
    await a.button('Allow').click();
    expect(await shown(b.page.locator('section', { hasText: 'Today' }).locator('.session', { hasText: 'Groceries' }))).toBe(true);
  });

  it('shows a failed session as at rest', async () => {
    await a.button('New session').click();
    await a.say('fail');
    await a.status('Failed');
    expect(await shown(b.page.locator('section', { hasText: 'Today' }).locator('.session', { hasText: 'fail' }))).toBe(true);
  });

  it('searches titles', async () => {
    await a.page.getByRole('searchbox', { name: 'Search titles' }).fill('grocer');
    await entry(a, 'Groceries').waitFor();
    await entry(a, 'what time is it?').waitFor({ state: 'detached' });
    await a.page.getByRole('searchbox', { name: 'Search titles' }).fill('nothing like it');
    await a.page.getByText('No title matches.').waitFor();
    await a.page.getByRole('searchbox', { name: 'Search titles' }).fill('');
    expect(await shown(entry(a, 'what time is it?'))).toBe(true);
  });

  it('deletes, with a time to take it back', async () => {
    await entry(a, 'Groceries').getByRole('button').click();
    await a.page.getByRole('menuitem', { name: 'Delete' }).click();
    await entry(a, 'Groceries').waitFor({ state: 'detached' });
    await a.button('Undo').click();
    await entry(a, 'Groceries').waitFor();
    await entry(a, 'Groceries').getByRole('button').click();
    await a.page.getByRole('menuitem', { name: 'Delete' }).click();
    await entry(b, 'Groceries').waitFor({ state: 'detached' });
    expect(await entry(a, 'Groceries').count()).toBe(0);
  });

  it('keeps a draft for each session', async () => {
    const first = new URL(a.page.url()).pathname;
    await a.composer.fill('half a thought');
    await a.button('New session').click();
    await a.page.getByRole('heading', { name: 'What shall we do?' }).waitFor();
    expect(await a.composer.inputValue()).toBe('');
    await a.page.locator(`.session a[href="${first}"]`).click();
    await a.page.waitForURL(`**${first}`);
    expect(await a.composer.inputValue()).toBe('half a thought');
    await a.page.reload();
    await a.composer.waitFor();
    expect(await a.composer.inputValue()).toBe('half a thought');
  });
});

describe.skipIf(missing !== null)('a server that asks who the reader is', () => {
  const secret = 'a secret for this test, long enough for it';
  let server: Server;
  let browser: Browser;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ AUTH: 'token', AUTH_SECRET: secret }), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('takes a token for the tab, over HTTP and the socket, and forgets it on sign-out', async () => {
    const page = await browser.newPage();
    await page.goto(server.address);
    const field = page.getByLabel('Token');
    await field.fill('not a token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('does not accept this token').waitFor();
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('ada')
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(secret));
    await field.fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const composer = page.getByRole('textbox', { name: 'Message', exact: true });
    await composer.fill('what time is it?');
    await composer.press('Enter');
    await page.locator('.row.reply', { hasText: 'The clock says' }).waitFor();
    expect(page.url()).not.toContain(token);
    await page.reload();
    await page.locator('.row.reply', { hasText: 'The clock says' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await field.waitFor();
    await page.close();
  });
});
