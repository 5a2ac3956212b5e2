import { flatEntry } from '../foreign/flat.ts';
import { withTexts, type AppServer } from './app.ts';
import { fieldsOf, isObject } from '../../protocol/json.ts';

/** Where a file of servers stands. */
export interface Project {
  readonly folder: string;
  /** The file is known to be one of a project; any other may have come from anywhere. */
  readonly isKnown: boolean;
}
const workspace = '${workspaceFolder}';
/** `./server.mjs`, `..`: a path, whatever the program makes of it. */
const isPath = (arg: unknown): boolean => typeof arg === 'string' && /^\.{1,2}([/\\]|$)/.test(arg);
const isRelative = (path: string): boolean => !/^([/\\~$]|[a-z]:)/i.test(path);
/** Joined as the folder itself is written. */
const below = (folder: string, path: string): string => {
  const sign = folder.includes('\\') ? '\\' : '/';
  const inner = path.replace(/^\.(?:[/\\]+|$)/, '').replace(/[/\\]+$/, '');
  return inner === '' ? folder : `${folder.replace(/[/\\]+$/, '')}${sign}${inner}`;
};

/**
 * A server of a file in a project, where it goes into a file elsewhere: it runs in the folder of that project as before, and
 * `${workspaceFolder}` is that folder. Of a file that may have come from anywhere only paths that begin with a dot say so.
 */
export function inProject(server: AppServer, project: Project | undefined): AppServer {
  const { entry } = server;
  if (!isObject(entry) || server.why !== undefined) return server;
  const root = project?.isKnown ? project.folder : undefined;
  const hasWorkspace = JSON.stringify(entry).includes(workspace);
  const meaning = root === undefined ? 'the folder that a2c runs in' : 'the folder of its project';
  const changed = [...server.changed, ...(hasWorkspace ? [`${workspace} is ${meaning}`] : [])];
  const made =
    root === undefined ? entry : fieldsOf(withTexts(entry, (text) => text.replaceAll(workspace, () => root)));
  const { command, args, cwd } = flatEntry(made).entry;
  const isLaunched = typeof command === 'string' && command !== '';
  const hasPath = isPath(command) || (Array.isArray(args) && args.some(isPath));
  if (!project || !isLaunched || !(project.isKnown || hasPath || isPath(cwd)))
    return { ...server, entry: made, changed };
  if (typeof cwd === 'string' && !isRelative(cwd)) return { ...server, entry: made, changed };
  const folder = typeof cwd === 'string' ? below(project.folder, cwd) : project.folder;
  const told = [...changed, 'cwd: the folder of its project'];
  return { ...server, entry: { ...made, cwd: folder }, changed: told };
}
