import { variablesFor } from '../../../actors/servers/inputs.ts';
import { launchKeys } from '../../../machines/config/schemas.ts';
import type { Trace } from '../../../machines/trace/reading.ts';
import type { HiddenValues, GivenValues } from './hidden-values.ts';
import { CannotVerify, givenConfig, type VerifyPlan } from './plan.ts';
import type { Fields } from '../../../machines/protocol/json.ts';

export interface Target {
  readonly config: object;
  readonly hasProcess: boolean;
  readonly inputs: GivenValues;
}
/** Settings that change tools or results are not used. */
const startKeys: ReadonlySet<string> = new Set([...launchKeys, 'expand']);
const launchSettings = (a2c: unknown): Fields =>
  Object.fromEntries(Object.entries((a2c ?? {}) as Fields).filter(([key]) => startKeys.has(key)));

const inputsIn = (entry: object): readonly string[] => [
  ...new Set([...JSON.stringify(entry).matchAll(/\$\{input:([^}]+)\}/g)].map(([, id]) => id as string)),
];
const commandTarget = (name: string, [command = '', ...args]: readonly string[]): Target => ({
  // Passes on all environment variables, because a command in a shell gets them too.
  config: {
    servers: [{ name, type: 'stdio', server_parameters: { command, args }, a2c: { baseEnv: 'full' } }],
  },
  hasProcess: true,
  inputs: {},
});

/** Adds the places without a value to `values.missing`. */
export function targetOf(
  trace: Trace,
  plan: VerifyPlan,
  command: readonly string[],
  values: HiddenValues,
  given: GivenValues,
): Target {
  const { name } = plan.server;
  if (command.length > 0) return commandTarget(name, command);
  const recorded = givenConfig(trace, plan);
  if (!recorded)
    throw new CannotVerify(
      `the config of '${name}' is not in the trace: say behind -- which command is to be asked`,
    );
  const { type, server_parameters: parameters, oauth, ca, envFile, a2c } = recorded.entry;
  if (type === 'inmemory' || String(type).startsWith('own:'))
    throw new CannotVerify(
      `'${name}' lives in its host (${String(type)}): say behind -- which command is to be asked`,
    );
  values.learn(parameters, undefined);
  const more = Object.entries({ oauth, ca, envFile }).filter(([, value]) => value !== undefined);
  const entry = {
    name,
    type,
    server_parameters: values.fill(parameters),
    ...Object.fromEntries(more),
    a2c: launchSettings(a2c),
  };
  const used = inputsIn(entry);
  const inputs = recorded.inputs.filter(({ id }) => used.includes(String(id)));
  const known = (id: string): unknown => given[`input.${id}`];
  for (const { id, default: otherwise } of inputs) {
    const isSet = variablesFor(String(id)).some((variable) => (process.env[variable] ?? '') !== '');
    if (known(String(id)) === undefined && !isSet && (otherwise === null || otherwise === undefined))
      values.missing.add(`input.${String(id)}`);
  }
  return {
    config: { servers: [entry], inputs, a2c: launchSettings(recorded.a2c) },
    hasProcess: type === 'stdio',
    inputs: Object.fromEntries(used.map((id) => [id, known(id)])),
  };
}
