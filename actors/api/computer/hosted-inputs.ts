import { runText } from '../../../adapters/index.ts';
import type { InputDefinition } from '../../../machines/config/index.ts';
import { Inputs, type AskInput } from '../../servers/inputs/inputs.ts';
import type { ComputerInputs } from '../../servers/inputs/inputs-handle.ts';
import { readOrThrow } from '../../plans/plan.ts';
import type { ServerOrders } from './server-orders.ts';

const readInputs = (given: unknown): readonly InputDefinition[] =>
  readOrThrow({ servers: [], inputs: Array.isArray(given) ? given : [given] }).inputs;
const withoutThose = (
  all: readonly InputDefinition[],
  others: readonly InputDefinition[],
): readonly InputDefinition[] => all.filter(({ id }) => !others.some((other) => other.id === id));

/** A command that gives a value has as long as seed 002 gives it. */
const commandMs = 30_000;
/** What a computer resolves placeholders with: the environment of its process, its host, and commands. */
export const inputsOf = (definitions: readonly InputDefinition[], ask: AskInput | undefined): Inputs =>
  new Inputs({
    definitions,
    environment: process.env,
    run: (line, signal) => runText(line, { ms: commandMs, signal }),
    ...(ask && { ask }),
  });

/** The inputs of a computer as its host has them: a change of one is a change of the config. */
export const hostedInputs = (inputs: Inputs, orders: ServerOrders): ComputerInputs => ({
  list: () => inputs.definitions(),
  get: (id) => inputs.definitions().find((definition) => definition.id === id),
  add: async (given) => {
    const added = readInputs(given);
    await orders.setInputs((now) => [...withoutThose(now, added), ...added]);
  },
  load: async (given) => {
    const all = readInputs(given);
    await orders.setInputs(() => all);
  },
  remove: async (id) => {
    const wasThere = inputs.definitions().some((definition) => definition.id === id);
    if (wasThere) await orders.setInputs((now) => now.filter((definition) => definition.id !== id));
    return wasThere;
  },
  values: {
    get: (id) => inputs.values().find((known) => known.id === id)?.value,
    set: (id, value) => inputs.setValue(id, value),
    remove: (id) => inputs.clearValue(id),
    list: () => Object.fromEntries(inputs.values().map(({ id, value }) => [id, value])),
    clear: () => inputs.clearValue(),
  },
});
