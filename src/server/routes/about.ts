import { defaultMode, describeConfiguration, stepCeiling } from '../../config/index.ts';
import { shellDriverOf } from '../../sandbox/index.ts';
import { uploadLimit } from '../../session/protocol/index.ts';
import { bodyLimit } from '../body.ts';
import { diagnose } from '../doctor.ts';
import { json, type RequestContext, type Route } from '../route.ts';
import { config, diagnosis, health } from '../schemas.ts';

/** The routes that tell of the server itself. */
export function aboutRoutes(version: string): readonly Route[] {
  return [
    {
      method: 'get',
      path: '/health',
      access: 'anyone',
      doc: { summary: 'That the server runs', answers: { 200: { description: 'It runs.', schema: health } } },
      handle: () => json({ ok: true, version }),
    },
    {
      method: 'get',
      path: '/config',
      access: 'read',
      doc: {
        summary: 'What there is to choose from, and what this participant may',
        answers: { 200: { description: 'All of it.', schema: config } },
      },
      handle: (c) => json(choices(c)),
    },
    {
      method: 'get',
      path: '/doctor',
      access: 'operate',
      doc: {
        summary: 'Every check of the configuration, worst first',
        answers: {
          200: { description: 'Consistent.', schema: diagnosis },
          503: { description: 'A check fails.', schema: diagnosis },
        },
        refuses: [403],
      },
      handle: (c) => examine(c),
    },
  ];
}

function choices(c: RequestContext): object {
  const { identity, settings } = c.var;
  const { participant, role, scope } = identity;
  const { modes, models } = describeConfiguration(c.env);
  const { commands, sockets, session, turns } = settings.limits;
  return {
    modes,
    defaultMode,
    models,
    tools: Object.fromEntries(modes.map(({ name, tools }) => [name, tools])),
    limits: {
      bodyBytes: bodyLimit,
      frameBytes: bodyLimit,
      uploadBytes: uploadLimit,
      commandsPerMinute: commands,
      socketsPerMinute: sockets,
      sessionCommandsPerMinute: session,
      turnsAtOnce: turns,
      maxSteps: stepCeiling,
    },
    shell: shellDriverOf(c.env),
    may: { participant, role, write: role !== 'viewer', operate: role === 'operator', scope },
  };
}

function examine(c: RequestContext): Response {
  const checks = diagnose(c.var.settings, c.env);
  return json({ checks }, checks.some(({ status }) => status === 'fail') ? 503 : 200);
}
