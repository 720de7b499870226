import { mediaTypeOf } from '../../session/attach.ts';
import type { GivenBlob } from '../../session/api.ts';
import { refused, uploadLimit } from '../../session/protocol/index.ts';
import { tooLarge } from '../../session/uploads.ts';
import { actorOf } from '../actor.ts';
import { sessionOf } from '../objects.ts';
import { refusal } from '../refusal.ts';
import { answer, json, param, type RequestContext, type Route } from '../route.ts';
import { upload } from '../schemas.ts';

/** The routes of a session's attachments and large values. */
export const blobRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/sessions/:scope/blobs',
    access: 'write',
    doc: {
      summary: 'Stores the bytes of an attachment, under the media type that Content-Type names',
      bytes: true,
      answers: { 201: { description: 'A part of a message may name the hash.', schema: upload } },
      refuses: [400, 403, 413, 422, 429, 503],
    },
    handle: takeUpload,
  },
  {
    method: 'get',
    path: '/sessions/:scope/blobs/:hash',
    access: 'read',
    children: true,
    doc: {
      summary: 'The whole of a large value that travelled as a reference, or of an attachment',
      answers: {
        200: {
          description: 'Its bytes: a text, the JSON of another value, or what was attached, to be saved unless it is an image.',
          media: ['text/plain', 'application/json', '*/*'],
        },
      },
      refuses: [400, 403, 404],
    },
    handle: giveBlob,
  },
];

/** Images that a browser shows and that hold no script; everything else that somebody attached is to be saved, never opened. */
const shownTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

async function takeUpload(c: RequestContext): Promise<Response> {
  const mediaType = mediaTypeOf(c.req.header('content-type') ?? 'application/octet-stream');
  if (mediaType === null)
    return refusal(refused('bad_request', 'Content-Type must name a media type such as image/png.').problem);
  const announced = Number(c.req.header('content-length') ?? NaN);
  const length = Number.isSafeInteger(announced) ? announced : null;
  if (length !== null && length > uploadLimit) return refusal(tooLarge().problem);
  const body = c.req.raw.body ?? new Blob([]).stream();
  const stored = await sessionOf(c.env, c.var.identity, param(c, 'scope')).upload(body, { mediaType, length }, actorOf(c));
  return answer(stored, (value) => json(value, 201, { location: `/api/sessions/${param(c, 'scope')}/blobs/${value.hash}` }));
}

async function giveBlob(c: RequestContext): Promise<Response> {
  return answer(await sessionOf(c.env, c.var.identity, param(c, 'scope')).blob(param(c, 'hash')), blobAnswer);
}

function blobAnswer({ mediaType, content }: GivenBlob): Response {
  const headers = new Headers({ 'content-type': mediaType });
  if (typeof content !== 'string' && !shownTypes.has(mediaType)) headers.set('content-disposition', 'attachment');
  return new Response(content, { headers });
}
