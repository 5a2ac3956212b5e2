import type { Behaviour, Plan, ServerData, Step } from '../stage/plan/plan.ts';

/** Path of a part of a plan that shrinking may leave out. */
export type ShrinkCandidate = string;

const optional = [
  ...(['autoStart', 'isLazy', 'isRemote', 'restart', 'budget', 'forbidden'] as const),
  ...(['hearsChanges', 'refreshFailures', 'secret', 'resources'] as const),
  ...(['limits', 'resultBytes', 'program', 'autoApprove', 'callTotalMs'] as const),
] as const;
const ofTool = ['takes', 'changes', 'answers', 'inputSchema', 'outputSchema', 'progressEveryMs'] as const;
const ofHost = ['person', 'permission', 'total', 'office', 'shares'] as const;
/** Such a step is never left out, because other steps would move. */
const isRun = (step: Step): step is Extract<Step, { do: 'run' }> => step.do === 'run';

const behaviourCandidates = (at: string, { tools = {}, faults = [] }: Behaviour): ShrinkCandidate[] => [
  ...faults.map((_, n) => `${at}/fault/${n}`),
  ...Object.entries(tools).flatMap(([name, tool]) => [
    ...ofTool.filter((key) => tool[key] !== undefined).map((key) => `${at}/tool/${name}/${key}`),
    `${at}/tool/${name}`,
  ]),
];
function serverCandidates(server: ServerData): ShrinkCandidate[] {
  const at = `server/${server.name}`;
  const { later = {} } = server;
  return [
    ...behaviourCandidates(at, server),
    ...Object.entries(later).flatMap(([n, one]) => [...behaviourCandidates(`${at}/${n}`, one), `${at}/${n}`]),
    ...optional.filter((key) => server[key] !== undefined).map((key) => `${at}/${key}`),
    at,
  ];
}
/** The largest first. */
export const shrinkCandidatesOf = (plan: Plan): ShrinkCandidate[] => [
  ...plan.steps.flatMap((step, n) => (isRun(step) ? [] : [`step/${n}`])),
  ...plan.servers.flatMap(serverCandidates),
  ...Object.keys(plan.timing ?? {}).map((knob) => `timing/${knob}`),
  ...ofHost.filter((key) => plan[key] !== undefined),
];

type Kept = (candidate: ShrinkCandidate) => boolean;
const entriesKept = <T extends object>(object: T, isKept: (key: string) => boolean): T =>
  Object.fromEntries(Object.entries(object).filter(([key]) => isKept(key))) as T;

function behaviourOf({ tools = {}, faults = [] }: Behaviour, at: string, isKept: Kept): Behaviour {
  const left = Object.entries(tools)
    .filter(([name]) => isKept(`${at}/tool/${name}`))
    .map(([name, tool]) => [name, entriesKept(tool, (key) => isKept(`${at}/tool/${name}/${key}`))]);
  return {
    ...(left.length > 0 && { tools: Object.fromEntries(left) as NonNullable<Behaviour['tools']> }),
    faults: faults.filter((_, n) => isKept(`${at}/fault/${n}`)),
  };
}
function serverOf(server: ServerData, isKept: Kept): ServerData {
  const at = `server/${server.name}`;
  const { tools: _tools, faults: _faults, later = {}, ...options } = server;
  const laters = Object.entries(later)
    .filter(([n]) => isKept(`${at}/${n}`))
    .map(([n, one]) => [n, behaviourOf(one, `${at}/${n}`, isKept)]);
  return {
    ...entriesKept(options, (key) => key === 'name' || isKept(`${at}/${key}`)),
    ...behaviourOf(server, at, isKept),
    ...(laters.length > 0 && { later: Object.fromEntries(laters) as NonNullable<ServerData['later']> }),
  };
}
function joined(steps: readonly Step[]): Step[] {
  const all: Step[] = [];
  for (const step of steps) {
    const last = all.at(-1);
    if (isRun(step) && last && isRun(last)) all[all.length - 1] = { do: 'run', ms: last.ms + step.ms };
    else all.push(step);
  }
  return all;
}

/** The remaining steps keep their times. */
export function planWith(plan: Plan, candidates: Iterable<ShrinkCandidate>): Plan {
  const all = new Set(candidates);
  const isKept: Kept = (candidate) => all.has(candidate);
  const { timing = {}, servers, steps, ...rest } = plan;
  const left = servers.filter(({ name }) => isKept(`server/${name}`));
  // Removes checks that something happens when faults are not cleared.
  const areFaultsCleared = steps.some((step, n) => step.do === 'clearFaults' && isKept(`step/${n}`));
  const isThere = (step: Step): boolean =>
    'server' in step
      ? left.some(({ name }) => name === step.server)
      : step.do !== 'quiescent' || areFaultsCleared;
  const knobs = entriesKept(timing, (knob) => isKept(`timing/${knob}`));
  return {
    ...entriesKept(rest, (key) => !(ofHost as readonly string[]).includes(key) || isKept(key)),
    servers: left.map((server) => serverOf(server, isKept)),
    steps: joined(steps.filter((step, n) => isRun(step) || (isKept(`step/${n}`) && isThere(step)))),
    ...(Object.keys(knobs).length > 0 && { timing: knobs }),
  };
}

interface Slot {
  readonly path: readonly (string | number)[];
  readonly value: number;
  readonly least: number;
}
const fromOne = new Set([
  ...['times', 'from', 'n', 'bytes', 'everyMs', 'servers', 'budget'],
  // Keeps 0 out, because there it means no limit.
  ...['concurrency', 'resultBytes', 'callTotalMs', 'progressEveryMs'],
]);
/** They are identifiers, so that smaller values mean nothing. */
const names = new Set(['code', 'status', 'seed', 'reqId']);

export function slotsOf(plan: Plan): Slot[] {
  const slots: Slot[] = [];
  const visit = (value: unknown, path: readonly (string | number)[]): void => {
    if (typeof value === 'number') {
      const key = String(path.at(-1));
      const least = fromOne.has(key) || path[0] === 'timing' ? 1 : 0;
      // Keeps a time limit from becoming 0, because a call without a limit is another call.
      const isFixed = names.has(key) || value <= least || (key === 'timeoutMs' && value <= 1);
      if (!isFixed && Number.isInteger(value))
        slots.push({ path, value, least: key === 'timeoutMs' ? 1 : least });
    } else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value))
        visit(member, [...path, Array.isArray(value) ? Number(key) : key]);
  };
  visit(plan, []);
  // Keeps the time before a quiescence check, because every liveness invariant would be violated too early otherwise.
  const isRest = ({ path: [at, n] }: Slot): boolean =>
    at === 'steps' && plan.steps[Number(n) + 1]?.do === 'quiescent';
  return slots.filter((slot) => !isRest(slot));
}
function withNumber(value: unknown, [key, ...rest]: readonly (string | number)[], number: number): unknown {
  if (key === undefined) return number;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[key] = withNumber(copy[key], rest, number);
  return copy;
}
export const planWithNumbers = (plan: Plan, slots: readonly Slot[], numbers: readonly number[]): Plan =>
  slots.reduce<unknown>((one, { path }, n) => withNumber(one, path, numbers[n] ?? 0), plan) as Plan;
