import type { ConfigEntry, Plan, ServerData, Step } from '../stage/plan/plan.ts';

export function written(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  const members = entries.map(
    ([key, member]) => `${/^[a-z_]\w*$/i.test(key) ? key : written(key)}: ${written(member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

const nameOf = (text: string): string =>
  text.replaceAll(/\W+(.)?/g, (_, next: string = '') => next.toUpperCase());

function serverLines({ name, later = {}, ...options }: ServerData, isNamed: boolean): string[] {
  const { faults = [], ...rest } = options;
  const all = { ...rest, ...(faults.length > 0 && { faults }) };
  const made = `s.server(${written(name)}${isEmpty(all) ? '' : `, ${written(all)}`});`;
  const laters = Object.entries(later).map(
    ([start, behaviour]) => `s.later(${nameOf(name)}, ${start}, ${written(behaviour)});`,
  );
  return [isNamed || laters.length > 0 ? `const ${nameOf(name)} = ${made}` : made, ...laters];
}
const calledWith = ({ call, params, reqId, timeoutMs }: Extract<Step, { do: 'call' }>): string => {
  const options = {
    ...(params && { params }),
    ...(timeoutMs !== 60_000 && { timeoutMs }),
    ...(reqId !== call && { reqId }),
  };
  return isEmpty(options) ? '' : `, ${written(options)}`;
};

const entryText = ({ name, ...now }: ConfigEntry): string =>
  isEmpty(now) ? nameOf(name) : `[${nameOf(name)}, ${written(now)}]`;

type Of<K extends Step['do']> = Step extends infer S
  ? S extends { readonly do: infer D }
    ? K extends D
      ? S
      : never
    : never
  : never;
/** The others wait for something or contain code. */
type Drawn = Exclude<
  Step['do'],
  'ready' | 'settled' | 'shown' | 'reaches' | 'asked' | 'signalled' | 'ended' | 'expect' | 'heard' | 'code'
>;
const lines: { readonly [K in Drawn]: (step: Of<K>, isNamed: boolean) => string } = {
  run: ({ ms }) => `s.run(${ms});`,
  clearFaults: () => 's.clearFaults();',
  quiescent: () => 's.quiescent(0);',
  begin: ({ who }) => `s.begin(${written(who)});`,
  close: ({ who }) => `s.close(${who === 'computer' ? '' : written(who)});`,
  kill: ({ server, signal }) => `s.kill(${nameOf(server)}, ${written(signal)});`,
  start: ({ server }) => `s.start(${nameOf(server)});`,
  stop: ({ server }) => `s.stop(${nameOf(server)});`,
  watch: ({ server, uris }) => `s.watch(${[nameOf(server), ...uris.map(written)].join(', ')});`,
  values: ({ server, values, ms }) =>
    `s.values(${[nameOf(server), written(values), ...(ms === undefined ? [] : [ms])].join(', ')});`,
  config: ({ servers }) => `s.config(${servers.map(entryText).join(', ')});`,
  show: ({ by, collection, query }) =>
    `s.${by === 'agent' ? 'agentShow' : 'show'}(${written(collection)}${isEmpty(query) ? '' : `, ${written(query)}`});`,
  read: ({ by, uri }) => `s.${by === 'agent' ? 'agentRead' : 'read'}(${written(uri)});`,
  put: ({ bytes }) => `s.put(${bytes});`,
  fetch: ({ bytes }) => `s.fetch(${bytes});`,
  skill: ({ name }) => `s.skill(${name === undefined ? '' : written(name)});`,
  cancel: ({ call }) => `s.cancel(${nameOf(call)});`,
  call: (step, isNamed) => {
    const made = `s.${step.by === 'agent' ? 'agentCall' : 'call'}(${written(step.tool)}${calledWith(step)});`;
    return isNamed ? `const ${nameOf(step.call)} = ${made}` : made;
  },
  fault: ({ fault: { fault, ...params }, call }) =>
    call === undefined
      ? `s.fault(${written(fault)}${isEmpty(params) ? '' : `, ${written(params)}`});`
      : `s.again(${nameOf(call)});`,
};
const named = (steps: readonly Step[]): Set<string> =>
  new Set(
    steps.flatMap((step) => [
      ...('server' in step ? [step.server] : []),
      ...(step.do === 'config' ? step.servers.map(({ name }) => name) : []),
      ...(step.do === 'cancel' || (step.do === 'fault' && step.call !== undefined)
        ? [step.call as string]
        : []),
    ]),
  );

export function pasted({ title, servers, steps, timing, office, virtualOnly, ...house }: Plan): string {
  const { person, permission, total, shares } = house;
  const needed = named(steps);
  const body = [
    ...servers.flatMap((server) => serverLines(server, needed.has(server.name))),
    ...(office ? ['s.office();'] : []),
    ...(shares ? [`s.shares(${written(shares)});`] : []),
    ...(person ? [`s.person(${written(person)});`] : []),
    ...(permission ? [`s.permission(${written(permission)});`] : []),
    ...(total ? [`s.total(${written(total)});`] : []),
    ...(timing && !isEmpty(timing) ? [`s.timing(${written(timing)});`] : []),
    ...(virtualOnly !== undefined ? [`s.virtualOnly(${written(virtualOnly)});`] : []),
    ...steps.map((step) => {
      const line = lines[step.do as Drawn] as ((step: Step, isNamed: boolean) => string) | undefined;
      if (!line) throw new Error(`a drawn plan has no step ${step.do}`);
      return line(step, step.do === 'call' && needed.has(step.call));
    }),
  ];
  return [`scenario(${written(title)}, (s) => {`, ...body.map((line) => `  ${line}`), '});', ''].join('\n');
}
