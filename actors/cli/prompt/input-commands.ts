import type { Terminal } from '../../../adapters/index.ts';
import { readJson, renderWith, type InputDefinition } from '../../../machines/config/index.ts';
import type { Fact } from '../../../machines/facts/index.ts';
import { A2cError } from '../../kernel/errors.ts';
import type { Computer } from '../../api/computer-handle.ts';
import type { Context } from '../context.ts';
import { inOneLine } from '../printing/contents.ts';
import { readNamed, usage, type CommandGroup, type PromptCommand } from './command.ts';

const isSecret = (definition: InputDefinition | undefined): boolean =>
  definition?.type === 'promptString' && definition.password;
type Inputs = Computer['inputs'];
/** What the prompt takes of inputs. Values of passwords are never shown. */
export const inputCommands = (
  { terminal }: Context,
  { inputs }: Computer,
  tell: (fact: Fact) => void,
): CommandGroup => ({
  heading: 'Inputs',
  commands: [
    ...definitionCommands(terminal, inputs, tell),
    ...valueCommands(terminal, inputs),
    {
      names: ['render'],
      args: 'JSON | @FILE',
      does: 'a config with the values that are known in their places',
      run: async (rest) => {
        const value = rendered(await jsonOf(rest), inputs);
        terminal.outText(JSON.stringify(value, null, 2));
        return value;
      },
    },
  ],
});
function known(inputs: Inputs, id: string): InputDefinition {
  const found = inputs.get(id);
  if (found) return found;
  throw new A2cError({
    code: 404,
    message: `No input '${id}' in the config`,
    remedy: 'List them: inputs list',
  });
}
const definitionCommands = (
  terminal: Terminal,
  inputs: Inputs,
  tell: (fact: Fact) => void,
): readonly PromptCommand[] => [
  {
    names: ['inputs list', 'inputs'],
    does: 'the inputs of the config',
    run: () => {
      const all = inputs.list();
      for (const definition of all) terminal.out(inputLine(definition));
      if (all.length === 0) terminal.out('no inputs');
      return all.map((definition) => hidden(definition));
    },
  },
  {
    names: ['inputs load'],
    args: 'FILE',
    does: 'take the inputs of this file instead of all there are',
    takes: 'file',
    run: async (rest) => {
      await inputs.load(await jsonOf(`@${rest.replace(/^@/, '')}`));
      tell({ type: 'inputs_loaded', count: inputs.list().length });
    },
  },
  {
    names: ['inputs add', 'inputs update'],
    args: 'JSON | @FILE',
    does: 'add inputs, or change those with their ids',
    run: async (rest) => inputs.add(await jsonOf(rest)),
  },
  {
    names: ['inputs rm', 'inputs remove'],
    args: 'ID',
    does: 'remove an input',
    takes: 'input',
    run: async (rest) => {
      await inputs.remove(known(inputs, rest).id);
      terminal.out(`removed ${rest}`);
    },
  },
  {
    names: ['inputs get'],
    args: 'ID',
    does: 'the definition of an input',
    takes: 'input',
    run: (rest) => shownJson(terminal, hidden(known(inputs, rest))),
  },
];
const valueCommands = (terminal: Terminal, inputs: Inputs): readonly PromptCommand[] => [
  {
    names: ['inputs value list'],
    does: 'the values that are known',
    run: () => shownJson(terminal, shownValues(inputs)),
  },
  {
    names: ['inputs value get'],
    args: 'ID',
    does: 'one of them',
    takes: 'input',
    run: (rest) => {
      const { [known(inputs, rest).id]: value } = shownValues(inputs);
      if (value !== undefined) return shownJson(terminal, value);
      terminal.out(`nobody gave a value for ${rest} yet`);
      return undefined;
    },
  },
  {
    names: ['inputs value set'],
    args: 'ID [JSON | TEXT]',
    does: 'give a value, which is kept until it is cleared; without one, its default',
    takes: 'input',
    isPrivate: () => true,
    run: (rest) => {
      const [id = ''] = rest.split(/\s+/);
      if (id === '') throw usage('inputs value set ID VALUE');
      const text = rest.slice(id.length).trim();
      const definition = known(inputs, id);
      if (!inputs.values.set(id, text === '' ? defaultOf(definition) : valueOf(text)))
        throw new A2cError({ code: 400, message: `the value is none of the options of '${id}'` });
      terminal.out(`set ${id}; a server has it from its next start`);
    },
  },
  {
    names: ['inputs value rm', 'inputs value remove'],
    args: 'ID',
    does: 'forget a value: it is asked for again',
    takes: 'input',
    run: (rest) =>
      terminal.out(
        inputs.values.remove(known(inputs, rest).id) ? `forgot ${rest}` : `no value of ${rest} is known`,
      ),
  },
  {
    names: ['inputs value clear'],
    args: '[ID]',
    does: 'forget one value, or all',
    takes: 'input',
    run: (rest) => {
      const did = rest === '' ? inputs.values.clear() : inputs.values.remove(known(inputs, rest).id);
      terminal.out(did ? 'forgotten' : 'no value was known');
    },
  },
];
function shownJson(terminal: Terminal, value: unknown): unknown {
  terminal.out(JSON.stringify(value));
  return value;
}
const shownValues = (inputs: Inputs): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(inputs.values.list()).map(([id, value]) => [id, isSecret(inputs.get(id)) ? '***' : value]),
  );
function rendered(config: unknown, inputs: Inputs): unknown {
  const values = shownValues(inputs);
  const all = renderWith(config, ({ kind, name }) =>
    kind === 'input' && Object.hasOwn(values, name)
      ? { value: values[name] }
      : { value: `\${${kind}:${name}}` },
  );
  return all.ok ? all.value : config;
}
const hidden = (definition: InputDefinition): object =>
  isSecret(definition)
    ? {
        ...definition,
        default: definition.type === 'promptString' && definition.default !== null ? '***' : null,
      }
    : definition;
const inputLine = ({ id, type, description }: InputDefinition): string =>
  `${id.padEnd(20)}  ${type.padEnd(12)}  ${inOneLine(description, 80)}`.trimEnd();
function defaultOf(definition: InputDefinition): unknown {
  if (definition.type !== 'command' && definition.default !== null) return definition.default;
  throw new A2cError({
    code: 400,
    message: `input '${definition.id}' has no default`,
    remedy: `Give a value: inputs value set ${definition.id} VALUE`,
  });
}
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
/** JSON as it is typed, or of a file. */
async function jsonOf(text: string): Promise<unknown> {
  if (text === '' || text === '@') throw usage('… JSON, or @FILE');
  const read = readJson(text.startsWith('@') ? await readNamed(text.slice(1)) : text);
  if (read.ok) return read.value;
  throw new A2cError({ code: 400, message: `the text ${read.mistake.message}` });
}
