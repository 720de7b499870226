import type { FileProblem, Workspace } from './port.ts';

const looked = 2000;
const named = 3;

/** That nothing stands at a path, and where a file of the same name does: models forget folders and capitals. */
export async function missing(files: Workspace, path: string): Promise<FileProblem> {
  const listed = await files.list('', { after: null, limit: looked });
  const name = nameOf(path).toLowerCase();
  const alike = (listed.ok ? listed.value : [])
    .filter((entry) => nameOf(entry.path).toLowerCase() === name)
    .map((entry) => entry.path);
  const hint = alike.length === 0 ? 'Look with list_dir or glob.' : `Perhaps you mean ${alike.slice(0, named).join(' or ')}.`;
  return { code: 'not_found', path, message: `There is no ${path}. ${hint}` };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
