import { checked, isObject, meant, readFault, Refusal, refuseUnknown, words } from './vocabulary.mjs';

const stepKeys = ['name', 'tools', 'resources', 'seed', 'faults', 'lifeMs', 'lastWords'];
const toolKeys = ['takes', 'answers', 'changes', 'inputSchema', 'outputSchema', 'progressEveryMs', 'asks'];
const baseKeys = [...stepKeys, 'starts', 'log', 'later', 'http'];

/** Longest life of a server in ms, by default. */
const usualLifeMs = 120_000;

/** Checks what a tool asks its client during a call. */
function readAsks(at, given) {
  const { method, params } = checked(at, given, { type: 'object' });
  refuseUnknown(at, given, ['method', 'params']);
  checked(`${at}.method`, method, { type: 'string' });
  if (params !== undefined) checked(`${at}.params`, params, { type: 'object' });
}

function readTools(at, given) {
  checked(at, given, { type: 'object' });
  for (const [name, tool] of Object.entries(given)) {
    checked(`${at}.${name}`, tool, { type: 'object' });
    refuseUnknown(`${at}.${name}`, tool, toolKeys);
    const { takes, progressEveryMs, changes } = tool;
    if (takes !== undefined) checked(`${at}.${name}.takes`, takes, { type: 'integer', min: 0 });
    if (progressEveryMs !== undefined)
      checked(`${at}.${name}.progressEveryMs`, progressEveryMs, { type: 'integer', min: 1 });
    for (const key of ['answers', 'inputSchema', 'outputSchema'])
      if (tool[key] !== undefined) checked(`${at}.${name}.${key}`, tool[key], { type: 'object' });
    if (tool.asks !== undefined) readAsks(`${at}.${name}.asks`, tool.asks);
    if (changes !== undefined) checked(`${at}.${name}.changes`, changes, { type: 'boolean' });
  }
  return given;
}

function readResources(at, given) {
  if (!Array.isArray(given)) throw new Refusal(`${at}: not a list`, '"resources":["note://1"]');
  return given.map((uri, index) => checked(`${at}[${index}]`, uri, { type: 'string' }));
}

function readFaults(at, given) {
  if (!Array.isArray(given)) throw new Refusal(`${at}: not a list`, '"faults":[{"fault":"proc.exit"}]');
  return given.map((fault, index) => readFault(`${at}[${index}]`, fault));
}

/** Reads the keys of a config that may differ from start to start, as far as they are given. */
function readStep(at, { name, tools, resources, seed, faults, lifeMs, lastWords }) {
  return {
    ...(name !== undefined && { name: checked(`${at}name`, name, { type: 'string' }) }),
    ...(tools !== undefined && { tools: readTools(`${at}tools`, tools) }),
    ...(resources !== undefined && { resources: readResources(`${at}resources`, resources) }),
    ...(seed !== undefined && { seed: checked(`${at}seed`, seed, { type: 'integer' }) }),
    ...(lastWords !== undefined && {
      lastWords: checked(`${at}lastWords`, lastWords, { type: 'string' }),
    }),
    ...(faults !== undefined && { faults: readFaults(`${at}faults`, faults) }),
    ...(lifeMs !== undefined && {
      lifeMs: checked(`${at}lifeMs`, lifeMs, { type: 'integer', min: 1, max: 2_147_000_000 }),
    }),
  };
}

function readLater(given) {
  checked('later', given, { type: 'object' });
  const steps = Object.entries(given).map(([n, step]) => {
    if (!/^[1-9]\d{0,8}$/.test(n))
      throw new Refusal(`later: ${n} is not the number of a start`, '"later":{"2":{"faults":[]}}');
    checked(`later.${n}`, step, { type: 'object' });
    refuseUnknown(`later.${n}`, step, stepKeys);
    return { from: Number(n), step: readStep(`later.${n}.`, step) };
  });
  return steps.sort((left, right) => left.from - right.from);
}

/** Reads port and protocol of a server over HTTP. */
function readHttp(given) {
  const http = checked('http', given, { type: 'object' });
  refuseUnknown('http', http, ['port', 'kind']);
  const { port = 0, kind = 'streamable' } = http;
  return {
    port: checked('http.port', port, { type: 'integer', min: 0, max: 65_535 }),
    kind: checked('http.kind', kind, { type: 'string', oneOf: ['streamable', 'sse'] }),
  };
}

const usual = {
  name: 'fault-server',
  tools: { echo: {} },
  resources: [],
  seed: 1,
  faults: [],
  lifeMs: usualLifeMs,
};

/**
 * Reads and checks the whole config, so that a mistake about a later start is reported at the first. `asked` are the options for
 * HTTP.
 */
export function readConfig(text, asked) {
  let given;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new Refusal(
      `the config is not JSON: ${error.message}`,
      `'{"faults":[{"fault":"proc.exit","when":"call"}]}'`,
    );
  }
  if (!isObject(given)) throw new Refusal('the config is not an object', '{"faults":[]}');
  refuseUnknown('config', given, baseKeys);
  for (const key of ['starts', 'log'])
    if (given[key] !== undefined) checked(key, given[key], { type: 'string' });
  const base = { ...usual, ...readStep('', given) };
  const later = given.later === undefined ? [] : readLater(given.later);
  const { starts, log } = given;
  const http =
    given.http === undefined && !asked
      ? undefined
      : readHttp(given.http === true ? (asked ?? {}) : { ...given.http, ...asked });
  if (starts === undefined && !http && later.length > 0)
    throw new Refusal('later: it cannot count its starts', 'name a file to count them in: "starts":"FILE"');
  for (const step of [{}, ...later.map(({ step }) => step)]) hold({ ...base, ...step }, starts, http);
  return { base, later, starts, log, http };
}

const remedies = {
  http: 'over HTTP it can: --http, or "http":true',
  stdio: 'it is about a process and its pipes: leave out http',
};

/** Checks everything that needs the whole config of a start. */
function hold({ faults, tools }, starts, http) {
  const names = Object.keys(tools);
  for (const { fault, tool, inAll, after } of faults) {
    const { over } = words.find((word) => word.fault === fault);
    if (over !== undefined && (over === 'http') !== (http !== undefined))
      throw new Refusal(`${fault}: not over ${http ? 'HTTP' : 'stdio'}`, remedies[over]);
    if ((fault === 'proc.crashLoop' || (inAll && !http)) && starts === undefined)
      throw new Refusal(
        `${fault}: it cannot count its starts`,
        'name a file to count them in: "starts":"FILE"',
      );
    const others = faults.map((other) => other.fault);
    if (after !== undefined && !others.includes(after))
      throw new Refusal(
        `${fault}.after: there is no fault ${after}`,
        meant(after, others, 'name another fault of this list'),
      );
    if (tool !== undefined && !names.includes(tool))
      throw new Refusal(
        `${fault}: there is no tool ${tool}`,
        meant(tool, names, `there is ${names.join(', ') || 'none'}`),
      );
  }
}

/** Config for the n-th start: the last step from n downwards, on top of the base. */
export function configAt({ base, later }, n) {
  const now = { ...base, ...later.findLast(({ from }) => from <= n)?.step };
  const faults = now.faults.filter((fault) => fault.fault !== 'proc.crashLoop' || n <= fault.n);
  return { ...now, faults };
}
