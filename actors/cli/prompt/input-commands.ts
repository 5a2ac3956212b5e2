import type { Terminal } from '../../../adapters/index.ts';
import { readJson } from '../../../machines/config/json-text.ts';
import { mistakeLine } from '../../../machines/config/mistake.ts';
import { renderWith } from '../../../machines/config/placeholders.ts';
import type { InputDefinition } from '../../../machines/config/inputs.ts';
import type { Fact } from '../../../machines/facts.ts';
import { badRequest, notFound } from '../../kernel/errors.ts';
import type { Computer } from '../../api/computer-handle.ts';
import type { CommandContext } from '../context.ts';
import { inOneLine } from '../printing/contents.ts';
import { readNamed, usage, type PromptCommand, type PromptCommands } from './commands.ts';

const isSecret = (definition: InputDefinition | undefined): boolean =>
  definition?.type === 'promptString' && definition.password;
type Inputs = Computer['inputs'];
type Add = (names: readonly [string, ...string[]], description: string) => PromptCommand;
/** Values of passwords are never shown. */
export function addInputs(
  commands: PromptCommands,
  { terminal }: CommandContext,
  { inputs }: Computer,
  tell: (fact: Fact) => void,
): void {
  const add: Add = (...about) => commands.add('Inputs', ...about);
  addDefinitions(add, terminal, inputs, tell);
  addValues(add, terminal, inputs);
  add(['render'], 'a config with the values that are known in their places')
    .argument('<config>', 'JSON, or @FILE')
    .is({ isVerbatim: true })
    .does(async (config: string) => {
      const value = rendered(await jsonOf(config), inputs);
      terminal.outText(JSON.stringify(value, null, 2));
      return value;
    });
}
function known(inputs: Inputs, id: string): InputDefinition {
  const found = inputs.get(id);
  if (found) return found;
  throw notFound(`No input '${id}' in the config`, 'List them: inputs list');
}
function addDefinitions(add: Add, terminal: Terminal, inputs: Inputs, tell: (fact: Fact) => void): void {
  add(['inputs list', 'inputs'], 'the inputs of the config').does(() => {
    const all = inputs.list();
    for (const definition of all) terminal.out(inputLine(definition));
    if (all.length === 0) terminal.out('no inputs');
    return all.map((definition) => hidden(definition));
  });
  add(['inputs load'], 'take the inputs of this file instead of all there are')
    .argument('<file>')
    .is({ isVerbatim: true })
    .does(async (file: string) => {
      await inputs.load(await jsonOf(`@${file.replace(/^@/, '')}`));
      tell({ type: 'inputs_loaded', count: inputs.list().length });
    });
  add(['inputs add', 'inputs update'], 'add inputs, or change those with their ids')
    .argument('<definitions>', 'JSON, or @FILE')
    .is({ isVerbatim: true })
    .does(async (definitions: string) => inputs.add(await jsonOf(definitions)));
  add(['inputs rm', 'inputs remove'], 'remove an input')
    .argument('<input>')
    .is({ isVerbatim: true })
    .does(async (id: string) => {
      await inputs.remove(known(inputs, id).id);
      terminal.out(`removed ${id}`);
    });
  add(['inputs get'], 'the definition of an input')
    .argument('<input>')
    .is({ isVerbatim: true })
    .does((id: string) => shownJson(terminal, hidden(known(inputs, id))));
}
function addValues(add: Add, terminal: Terminal, inputs: Inputs): void {
  add(['inputs value list'], 'the values that are known').does(() =>
    shownJson(terminal, shownValues(inputs)),
  );
  add(['inputs value get'], 'one of them')
    .argument('<input>')
    .is({ isVerbatim: true })
    .does((id: string) => {
      const { [known(inputs, id).id]: value } = shownValues(inputs);
      if (value !== undefined) return shownJson(terminal, value);
      terminal.out(`nobody gave a value for ${id} yet`);
      return undefined;
    });
  add(['inputs value set'], 'give a value, which is kept until it is cleared; without one, its default')
    .argument('<input>')
    .argument('[value]', 'JSON, or a text')
    .is({ isPrivate: () => true, isVerbatim: true })
    .does((id: string, value?: string) => {
      const definition = known(inputs, id);
      if (!inputs.values.set(id, value === undefined ? defaultOf(definition) : valueOf(value)))
        throw badRequest(`the value is none of the options of '${id}'`);
      terminal.out(`set ${id}; a server has it from its next start`);
    });
  add(['inputs value rm', 'inputs value remove'], 'forget a value: it is asked for again')
    .argument('<input>')
    .is({ isVerbatim: true })
    .does((id: string) =>
      terminal.out(
        inputs.values.remove(known(inputs, id).id) ? `forgot ${id}` : `no value of ${id} is known`,
      ),
    );
  add(['inputs value clear'], 'forget one value, or all')
    .argument('[input]')
    .is({ isVerbatim: true })
    .does((id?: string) => {
      const did = id === undefined ? inputs.values.clear() : inputs.values.remove(known(inputs, id).id);
      terminal.out(did ? 'forgotten' : 'no value was known');
    });
}
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
  throw badRequest(
    `input '${definition.id}' has no default`,
    `Give a value: inputs value set ${definition.id} VALUE`,
  );
}
function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
async function jsonOf(text: string): Promise<unknown> {
  if (text === '' || text === '@') throw usage('… JSON, or @FILE');
  const read = readJson(text.startsWith('@') ? await readNamed(text.slice(1)) : text);
  if (read.ok) return read.value;
  throw badRequest(mistakeLine(read.mistake, 'the text'));
}
