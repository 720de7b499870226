import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/server/settings.ts';

describe('readSettings', () => {
  it('has defaults for everything', () => {
    expect(readSettings({})).toEqual({
      auth: 'local',
      secret: null,
      accessTeam: null,
      accessAudience: [],
      accessOperators: [],
      allowedOrigins: [],
      limits: { commands: 300, sockets: 120 },
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
    });
    expect(settings).toMatchObject({
      auth: 'access',
      accessAudience: ['a', 'b'],
      allowedOrigins: ['https://app.example', 'http://localhost:5173'],
      limits: { commands: 1000, sockets: 7 },
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
  ])('names %s when it cannot be read (%s), and its default holds', (name, value) => {
    expect(readSettings({ [name]: value })).toEqual({ ...readSettings({}), faults: [name] });
  });

  it('an AUTH that cannot be read has no default: nobody is known', () => {
    expect(readSettings({ AUTH: 'open' })).toMatchObject({ auth: null, faults: ['AUTH'] });
  });
});
