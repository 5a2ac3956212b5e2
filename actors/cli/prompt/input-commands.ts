import type { Terminal } from '../../../adapters/terminal/terminal.ts';
import { readJson } from '../../../machines/config/json-text.ts';
import { mistakeLine } from '../../../machines/config/mistake.ts';
import type { Fact } from '../../../machines/facts.ts';
import type { InputDefinition } from '../../../machines/config/inputs.ts';
import { isSecretInput } from '../../../machines/secrets/secret-names.ts';
import { badRequest, notFound } from '../../kernel/errors.ts';
import type { Computer } from '../../api/computer-handle.ts';
import type { CommandContext } from '../context.ts';
import { inOneLine } from '../printing/contents.ts';
import { readNamed, type PromptCommand, type PromptCommands } from './commands.ts';

type Inputs = Computer['inputs'];
/** Secret values are never shown. */
export function addInputs(
  commands: PromptCommands,
  { terminal }: CommandContext,
  { inputs }: Computer,
  tell: (fact: Fact) => void,
): void {
  const add = (names: readonly [string, ...string[]], description: string): PromptCommand =>
    commands.add('Inputs', names, description);
  add(['inputs list', 'inputs'], 'the inputs of the config').does(() => {
    const all = inputs.list();
    for (const definition of all) terminal.out(inputLine(definition));
    if (all.length === 0) terminal.out('no inputs');
    return all.map((definition) => hidden(definition));
  });
  add(['inputs load'], 'take the inputs of this file instead of all there are')
    .argument('<file>')
    .does(async (file: string) => {
      const text = await readNamed(file.replace(/^@/, ''));
      const read = readJson(text);
      if (!read.ok) throw badRequest(mistakeLine(read.mistake, file));
      await inputs.load(read.value);
      tell({ type: 'inputs_loaded', count: inputs.list().length });
    });
  add(['inputs value list'], 'the values that are known').does(() =>
    shownJson(terminal, shownValues(inputs)),
  );
  add(['inputs value set'], 'give a value, which is kept until it is cleared; without one, its default')
    .argument('<input>')
    .argument('[value]', 'JSON, or a text')
    .is({ isPrivate: true })
    .does((id: string, value?: string) => {
      const definition = known(inputs, id);
      if (!inputs.values.set(id, value === undefined ? defaultOf(definition) : valueOf(value)))
        throw badRequest(`the value is none of the options of '${id}'`);
      terminal.out(`set ${id}; a server has it from its next start`);
    });
  add(['inputs value clear', 'inputs value rm'], 'forget one value, or all: it is asked for again')
    .argument('[input]')
    .does((id?: string) => {
      const did = id === undefined ? inputs.values.clear() : inputs.values.remove(known(inputs, id).id);
      terminal.out(did ? 'forgotten' : 'no value was known');
    });
}
function known(inputs: Inputs, id: string): InputDefinition {
  const found = inputs.get(id);
  if (found) return found;
  throw notFound(`No input '${id}' in the config`, 'List them: inputs list');
}
function shownJson(terminal: Terminal, value: unknown): unknown {
  terminal.out(JSON.stringify(value));
  return value;
}
const shownValues = (inputs: Inputs): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(inputs.values.list()).map(([id, value]) => {
      const definition = inputs.get(id);
      return [id, definition && isSecretInput(definition) ? '***' : value];
    }),
  );
const hidden = (definition: InputDefinition): object =>
  isSecretInput(definition) && 'default' in definition && definition.default !== null
    ? { ...definition, default: '***' }
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
