import type { InputDefinition } from '../../machines/config/index.ts';
import type { Inputs } from './inputs.ts';
import type { ComputerInputs } from './inputs-handle.ts';
import { readOrThrow } from './plan.ts';
import type { ServerOrders } from './server-orders.ts';

const readInputs = (given: unknown): readonly InputDefinition[] =>
  readOrThrow({ servers: [], inputs: Array.isArray(given) ? given : [given] }).inputs;
const withoutThose = (
  all: readonly InputDefinition[],
  others: readonly InputDefinition[],
): readonly InputDefinition[] => all.filter(({ id }) => !others.some((other) => other.id === id));

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
