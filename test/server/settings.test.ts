import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/server/settings.ts';
import { signedIn, tokenServer } from './support.ts';

describe('readSettings', () => {
  it('has defaults for everything', () => {
    expect(readSettings({})).toEqual({
      auth: 'local',
      secret: null,
      accessTeam: null,
      accessAudience: [],
      accessOperators: [],
      allowedOrigins: [],
      limits: { commands: 300, sockets: 120, session: 600, turns: null },
      faults: [],
    });
  });

  it('reads what is set, as texts or as the numbers of a configuration file', () => {
    const settings = readSettings({
      AUTH: 'access',
      ACCESS_AUD: 'a, b',
      ALLOWED_ORIGINS: 'https://App.example/ http://localhost:5173',
      LIMIT_COMMANDS: '1000',
      LIMIT_SOCKETS: 7,
      LIMIT_TURNS: ' 3 ',
    });
    expect(settings).toMatchObject({
      auth: 'access',
      accessAudience: ['a', 'b'],
      allowedOrigins: ['https://app.example', 'http://localhost:5173'],
      limits: { commands: 1000, sockets: 7, session: 2000, turns: 3 },
      faults: [],
    });
  });

  it.each(['acme', 'acme.cloudflareaccess.com', 'https://acme.cloudflareaccess.com', 'https://acme.cloudflareaccess.com/'])(
    'the team may be written %s',
    (ACCESS_TEAM) => {
      expect(readSettings({ ACCESS_TEAM }).accessTeam).toBe('https://acme.cloudflareaccess.com');
    },
  );

  it.each([
    ['ACCESS_TEAM', 'https://acme.example'],
    ['ALLOWED_ORIGINS', '*'],
    ['LIMIT_COMMANDS', '0'],
    ['LIMIT_SOCKETS', '1.5'],
    ['LIMIT_SESSION', 'many'],
    ['LIMIT_TURNS', '0'],
    ['LIMIT_TURNS', Infinity],
  ])('names %s when it cannot be read (%s), and its default holds', (name, value) => {
    expect(readSettings({ [name]: value })).toEqual({ ...readSettings({}), faults: [name] });
  });

  it('a session takes twice what one client may send, unless its limit is set', () => {
    expect(readSettings({ LIMIT_COMMANDS: '50' }).limits.session).toBe(100);
    expect(readSettings({ LIMIT_COMMANDS: '50', LIMIT_SESSION: '60' }).limits).toMatchObject({ commands: 50, session: 60 });
  });

  it('an AUTH that cannot be read has no default: nobody is known', () => {
    expect(readSettings({ AUTH: 'open' })).toMatchObject({ auth: null, faults: ['AUTH'] });
  });

  it('the limits are shown to clients', async () => {
    const send = await signedIn({}, tokenServer({ LIMIT_COMMANDS: '50', LIMIT_TURNS: '3' }));
    const limits = { commandsPerMinute: 50, socketsPerMinute: 120, sessionCommandsPerMinute: 100, turnsAtOnce: 3 };
    expect(await (await send('/api/config')).json()).toMatchObject({ limits });
    expect(await (await (await signedIn())('/api/config')).json()).toMatchObject({ limits: { turnsAtOnce: null } });
  });
});
