import type { FileEntry } from '../../tools/index.ts';
import { workspaceLimits } from '../../workspace/index.ts';
import { refused } from '../../session/protocol/index.ts';
import { actorOf } from '../actor.ts';
import { conditionsOf, etagOf, hasAlready, rangeOf } from '../conditions.ts';
import { type SessionStub, sessionOf } from '../objects.ts';
import { readQuery } from '../query.ts';
import { refusal } from '../refusal.ts';
import { answer, json, param, type RequestContext, type Route, type RouteDoc } from '../route.ts';
import { changesPage, changesQuery, fileEntry, filesQuery, folderPage, unpacked, writeQuery } from '../schemas.ts';

const getDoc: RouteDoc = {
  summary: 'A file, or a part of it; a page of what is in a folder; with `archive=zip` all of it as an archive',
  query: filesQuery,
  answers: {
    200: {
      description: 'The folder, the file, or the archive.',
      schema: folderPage,
      media: ['application/octet-stream', 'application/zip'],
    },
    206: { description: 'The range.', media: ['application/octet-stream'] },
    304: { description: 'The content is the one of `If-None-Match`.' },
  },
  refuses: [400, 403, 404, 409, 416, 422],
};

const putDoc: RouteDoc = {
  summary: 'Writes a file, and the folders on the way to it; with `archive=zip` all files of an archive below a folder',
  bytes: true,
  query: writeQuery,
  answers: {
    200: { description: 'The file was replaced; or the archive was unpacked.', schema: fileEntry.or(unpacked) },
    201: { description: 'The file is new.', schema: fileEntry },
  },
  refuses: [400, 403, 404, 409, 412, 413, 422, 429],
};

const deleteDoc: RouteDoc = {
  summary: 'Deletes a file, or a folder with all that is in it',
  answers: { 204: { description: 'Nothing is there any more.' } },
  refuses: [400, 403, 404, 412, 422, 429],
};

/** The routes of a session's files (WORK-02, FILES-02). */
export const fileRoutes: readonly Route[] = [
  { method: 'get', path: '/sessions/:scope/files', access: 'read', children: true, doc: getDoc, handle: get },
  { method: 'put', path: '/sessions/:scope/files', access: 'write', doc: putDoc, handle: put },
  { method: 'get', path: '/sessions/:scope/files/:path{.*}', access: 'read', children: true, doc: getDoc, handle: get },
  { method: 'put', path: '/sessions/:scope/files/:path{.*}', access: 'write', doc: putDoc, handle: put },
  {
    method: 'get',
    path: '/sessions/:scope/changes',
    access: 'read',
    children: true,
    doc: {
      summary: 'The changes of files that undo can take back, newest first',
      query: changesQuery,
      answers: { 200: { description: 'A page; `cursor` is the `before` of the next one.', schema: changesPage } },
      refuses: [400, 403],
    },
    handle: listChanges,
  },
  { method: 'delete', path: '/sessions/:scope/files/:path{.*}', access: 'write', doc: deleteDoc, handle: remove },
];

function named(c: RequestContext): SessionStub {
  return sessionOf(c.env, c.var.identity, param(c, 'scope'));
}

async function get(c: RequestContext): Promise<Response> {
  const query = readQuery(c, filesQuery);
  if (!query.ok) return refusal(query.problem);
  const { archive, cursor = '', limit } = query.value;
  const session = named(c);
  const path = param(c, 'path');
  const found = await session.files('stat', { path });
  if (!found.ok) return refusal(found.problem);
  const entry = found.value;
  if (entry === null) return refusal(refused('not_found', 'There is nothing at this path.').problem);
  if (entry.kind === 'folder' && archive === undefined) {
    return answer(await session.files('list', { path, from: cursor, limit }), ({ path, rev, entries, next }) =>
      json({ path, rev, entries, cursor: next }),
    );
  }
  if (entry.kind === 'folder') return pack(c, session, path);
  if (archive !== undefined) return refusal(refused('bad_request', 'Only a folder can be had as an archive.').problem);
  return send(c, session, path, entry);
}

/** A file. It is never markup: it is a download, whatever its name says, and has the sandbox of every answer (headers.ts). */
async function send(c: RequestContext, session: SessionStub, path: string, entry: FileEntry): Promise<Response> {
  const headers = { etag: etagOf(entry.hash), 'accept-ranges': 'bytes', 'last-modified': new Date(entry.modified).toUTCString() };
  if (hasAlready(c, entry.hash)) return new Response(null, { status: 304, headers });
  const wanted = rangeOf(c, entry.size, entry.hash);
  if (wanted === 'unsatisfiable') {
    const refusing = refusal(refused('range_not_satisfiable', `The file has ${entry.size} bytes.`).problem);
    refusing.headers.set('content-range', `bytes */${entry.size}`);
    return refusing;
  }
  const opened = await session.files('open', { path, range: wanted });
  if (opened.ok && opened.value.entry.hash !== entry.hash) {
    // It was replaced meanwhile: conditions and range were about another content.
    await opened.value.stream.cancel();
    return send(c, session, path, opened.value.entry);
  }
  return answer(opened, ({ entry: now, range, stream }) => {
    const part = { 'content-range': `bytes ${range.offset}-${range.offset + range.length - 1}/${now.size}` };
    return new Response(stream.pipeThrough(new FixedLengthStream(range.length)), {
      status: wanted === null ? 200 : 206,
      headers: {
        ...headers,
        etag: etagOf(now.hash),
        'content-type': 'application/octet-stream',
        'content-length': String(range.length),
        'content-disposition': attachment(nameOf(now.path)),
        ...(wanted === null ? {} : part),
      },
    });
  });
}

async function pack(c: RequestContext, session: SessionStub, path: string): Promise<Response> {
  const name = `${nameOf(path) === '' ? param(c, 'scope') : nameOf(path)}.zip`;
  return answer(await session.files('pack', { path }), (stream) => {
    return new Response(stream, { headers: { 'content-type': 'application/zip', 'content-disposition': attachment(name) } });
  });
}

async function put(c: RequestContext): Promise<Response> {
  const query = readQuery(c, writeQuery);
  if (!query.ok) return refusal(query.problem);
  const { archive, executable = null } = query.value;
  const limit = archive === undefined ? workspaceLimits.file : workspaceLimits.archive;
  if (Number(c.req.header('content-length') ?? 0) > limit) {
    return refusal(refused('too_large', `The body may have at most ${limit} bytes.`).problem);
  }
  const path = param(c, 'path');
  const body = c.req.raw.body ?? new Blob([]).stream();
  const actor = actorOf(c);
  if (archive !== undefined) return answer(await named(c).files('unpack', { path, body, actor }), json);
  const written = await named(c).files('write', { path, body, executable, conditions: conditionsOf(c), actor });
  return answer(written, ({ entry, created }) => json(entry, created ? 201 : 200, { etag: etagOf(entry.hash) }));
}

async function remove(c: RequestContext): Promise<Response> {
  const request = { path: param(c, 'path'), conditions: conditionsOf(c), actor: actorOf(c) };
  return answer(await named(c).files('delete', request), () => new Response(null, { status: 204 }));
}

async function listChanges(c: RequestContext): Promise<Response> {
  const query = readQuery(c, changesQuery);
  if (!query.ok) return refusal(query.problem);
  const { before = null, limit } = query.value;
  return answer(await named(c).files('journal', { before, limit }), ({ changes, next }) => json({ changes, cursor: next }));
}

function nameOf(path: string): string {
  return path.split('/').findLast((name) => name !== '') ?? '';
}

/** A download under this name (RFC 6266). */
function attachment(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return `attachment; filename*=UTF-8''${encoded}`;
}
