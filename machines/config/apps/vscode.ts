import { dropped, hasObject, leftOut, mapped, type App, type Rules } from '../importing/app.ts';
import { common } from '../importing/words.ts';
import { fieldsOf, type Fields } from '../../protocol/json.ts';

const rules: Rules = {
  gallery: dropped,
  version: dropped,
  dev: leftOut('nothing is watched or debugged'),
  sandboxEnabled: leftOut('nothing is run in a sandbox'),
  sandbox: leftOut('nothing is run in a sandbox'),
};
/** A command of VS Code is none of the shell: somebody is asked instead. */
const inputOf = (input: unknown): unknown => {
  const { type, id, description } = fieldsOf(input);
  return type === 'command' ? { type: 'promptString', id, description } : input;
};
const noteOf = (input: unknown, n: number): readonly string[] =>
  fieldsOf(input)['type'] === 'command' ? [`inputs[${n}]: its command is not run; somebody is asked`] : [];

export const vscode: App = {
  id: 'vscode',
  title: 'VS Code',
  format: 'json',
  words: {
    at: 'servers',
    types: { stdio: 'stdio', streamable: 'http', sse: 'sse' },
    keys: { ...common, cwd: 'cwd', envFile: 'envFile' },
    hasInputs: true,
  },
  isIts: (file) =>
    !hasObject(file, 'mcpServers') &&
    (hasObject(file, 'servers') || hasObject(fieldsOf(file['mcp']), 'servers')),
  read: (file) => {
    // mcp.json, or the settings of the editor.
    const isOfSettings = hasObject(fieldsOf(file['mcp']), 'servers');
    const holder: Fields = isOfSettings ? fieldsOf(file['mcp']) : file;
    const at = isOfSettings ? ['mcp', 'servers'] : ['servers'];
    const inputs = Array.isArray(holder['inputs']) ? holder['inputs'] : [];
    return {
      servers: mapped(holder['servers'], at, rules),
      inputs: inputs.map(inputOf),
      notes: inputs.flatMap(noteOf),
    };
  },
};
