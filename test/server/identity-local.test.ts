import { describe, expect, it } from 'vitest';
import { refusedAs, server } from './support.ts';

describe('AUTH=local', () => {
  it.each(['http://localhost:8787', 'http://127.0.0.1:8787', 'http://[::1]:8787', 'https://localhost'])(
    'SESS-20 %s is the machine itself: the participant local, an operator',
    async (origin) => {
      const response = await server({}, { origin })('/api/config');
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        may: { participant: 'local', role: 'operator', write: true, operate: true },
      });
    },
  );

  it.each(['https://reins.example', 'http://localhost.attacker.example', 'http://127.0.0.2', 'http://0.0.0.0:8787'])(
    'SESS-20 %s is somewhere else: nobody',
    async (origin) => {
      expect(await refusedAs(await server({}, { origin })('/api/config'))).toBe('401 auth_not_configured');
    },
  );

  it('SESS-20 no header, query or body names another participant', async () => {
    const send = server();
    const response = await send('/api/config?participant=eve&sub=eve', {
      headers: { 'x-participant': 'eve', 'reins-identity': '{"participant":"eve"}' },
    });
    expect(await response.json()).toMatchObject({ may: { participant: 'local' } });
  });

  it('an AUTH that does not exist lets nobody in, not even here', async () => {
    expect(await refusedAs(await server({ AUTH: 'none' })('/api/config'))).toBe('401 auth_not_configured');
  });

  it('health needs no participant, wherever it is asked', async () => {
    const response = await server({ AUTH: 'none' }, { origin: 'https://reins.example' })('/api/health');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ok: true, version: '0.0.0-test' });
  });
});
