import {
  dropped,
  entriesIn,
  hasObject,
  leftOut,
  mapped,
  timed,
  type App,
  type AppServer,
  type Rules,
} from '../importing/app.ts';
import { common } from '../importing/words.ts';
import { fieldsOf } from '../../protocol/json.ts';

const rules: Rules = {
  timeout: timed('ms', 'callTotalMs'),
  headersHelper: leftOut('no command is run for headers'),
  alwaysLoad: dropped,
};
/** Servers of one project run in its folder. */
const inProject =
  (folder: string) =>
  (server: AppServer): AppServer => {
    const entry = fieldsOf(server.entry);
    if (typeof entry['command'] !== 'string' || entry['cwd'] !== undefined) return server;
    const changed = [...server.changed, 'cwd: the folder of its project'];
    return { ...server, entry: { ...entry, cwd: folder }, changed };
  };

export const claudeCode: App = {
  id: 'claude-code',
  title: 'Claude Code',
  format: 'json',
  words: {
    at: 'mcpServers',
    types: { stdio: 'stdio', streamable: 'http', sse: 'sse' },
    keys: { ...common, timeoutMs: 'timeout' },
    variable: (name) => `\${${name}}`,
  },
  isIts: (file) => hasObject(file, 'projects'),
  read: (file) => ({
    servers: [
      ...mapped(file['mcpServers'], ['mcpServers'], rules),
      ...entriesIn(file['projects']).flatMap(([folder, project]) =>
        mapped(fieldsOf(project)['mcpServers'], ['projects', folder, 'mcpServers'], rules).map(
          inProject(folder),
        ),
      ),
    ],
    inputs: [],
  }),
};
