import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** What a command in the box finds, beside bash and Node. */
const programs = `
  awk basename bash cat chmod cp cut date dd diff dirname du echo env expr false find git grep head id kill ln ls mkdir
  mkfifo mktemp mv nohup od ps pwd readlink rm rmdir sed seq setsid sh sha256sum sleep sort stat tail tar tee test timeout
  tini touch tr true truncate uname uniq wc which xargs yes
`
  .trim()
  .split(/\s+/);

/**
 * Makes the file system of a box below `folder` from this machine's own programs and their libraries: what container/Dockerfile makes from a registry, which a
 * test does not need. The server is the same, file for file.
 */
export function makeRootfs(folder: string): void {
  const node = realpathSync(process.execPath);
  mkdirSync(join(folder, 'usr/bin'), { recursive: true });
  symlinkSync('usr/bin', join(folder, 'bin'));
  for (const file of new Set([...programs.flatMap(located), ...libraries(node)])) place(folder, file, file);
  place(folder, node, '/usr/local/bin/node');
  for (const part of ['container/server', 'src/sandbox/wire'])
    cpSync(join(root, part), join(folder, 'box', part), { recursive: true });
  // What says that these files are modules.
  writeFileSync(join(folder, 'box/package.json'), '{"type":"module"}\n');
  for (const path of ['tmp', 'proc', 'sys', 'dev', 'workspace', 'home/agent', 'root'])
    mkdirSync(join(folder, path), { recursive: true });
  mkdirSync(join(folder, 'etc'), { recursive: true });
  writeFileSync(join(folder, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/bash\nagent:x:1000:1000:agent:/home/agent:/bin/bash\n');
  writeFileSync(join(folder, 'etc/group'), 'root:x:0:\nagent:x:1000:\n');
  execFileSync('chmod', ['1777', join(folder, 'tmp')]);
  execFileSync('chown', ['-R', '1000:1000', join(folder, 'workspace'), join(folder, 'home/agent')]);
}

/** A program with its libraries; nothing where this machine does not have it. */
function located(name: string): string[] {
  const path = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin']
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));
  return path === undefined ? [] : [path, ...libraries(path)];
}

function libraries(path: string): string[] {
  let said = '';
  try {
    said = execFileSync('ldd', [path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    // A script, or linked statically.
  }
  return [...said.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, file]) => file ?? '');
}

/** Puts what `file` leads to at `path`, so that no link is needed. */
function place(folder: string, file: string, path: string): void {
  const target = join(folder, path);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  cpSync(realpathSync(file), target);
}
