import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { namesOf, nodesOf, pathOf } from '../../actors/runtime/charts.ts';
import { edited } from '../fixtures/altered.ts';

export interface ChartEdit {
  /** Such as `call: running --call.cancel--> cancelling: without rememberCancel`. */
  readonly what: string;
  readonly at: readonly string[];
  /** Where it shows even to who takes none of the transitions; absent where it does not. */
  readonly within?: string;
  readonly make: () => AnyStateMachine;
}
type Config = { readonly [key: string]: unknown };
type Path = readonly (string | number)[];

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : value === undefined ? [] : [value];
const without = (n: number) => (old: unknown) => listOf(old).filter((_, i) => i !== n);
const nothing = (): undefined => undefined;

function namesIn(actions: readonly unknown[]): string[] {
  const names = actions.map((action) =>
    typeof action === 'string'
      ? action
      : ((action as { readonly type?: string }).type ?? 'inline').replace('xstate.', ''),
  );
  return names.map((name, n) => {
    const nth = names.slice(0, n).filter((other) => other === name).length;
    return nth > 0 ? `${name} (${nth + 1})` : name;
  });
}

interface Ways {
  readonly path: readonly [string, string] | readonly ['always'];
  readonly config: unknown;
  readonly taken: readonly AnyTransitionDefinition[];
}
function waysOf(node: AnyStateNode): Ways[] {
  const { on = {}, after = {}, always, invoke = {} } = node.config as Record<string, Config | undefined>;
  const group = (key: string, of: Config, eventOf: (name: string) => string): Ways[] =>
    Object.entries(of).map(([name, config]) => ({
      path: [key, name],
      config,
      taken: node.transitions.get(eventOf(name)) ?? [],
    }));
  const ends = Object.fromEntries(Object.entries(invoke).filter(([key]) => /^on(Done|Error)$/.test(key)));
  return [
    ...group('on', on, (event) => event),
    ...group('after', after, (delay) => `xstate.after.${delay}.${node.id}`),
    ...group('invoke', ends, (end) => `xstate.${end.slice(2).toLowerCase()}.actor.${String(invoke['id'])}`),
    ...(always ? [{ path: ['always'], config: always, taken: node.always ?? [] } as const] : []),
  ];
}

const isIdle = (way: unknown): boolean =>
  typeof way === 'object' && way !== null && !['target', 'actions', 'guard'].some((key) => key in way);
const isHeardAbove = ({ parent }: AnyStateNode, event: string): boolean =>
  parent !== undefined && (event in ((parent.config.on ?? {}) as Config) || isHeardAbove(parent, event));

/** Deaf to an event, or without one of several ways, a guard or an action. */
export function editsOf(machine: AnyStateMachine): ChartEdit[] {
  const edits: ChartEdit[] = [];
  type Place = Pick<ChartEdit, 'at' | 'within'>;
  const add = (what: string, place: Place, path: Path, value: (old: never) => unknown): void =>
    void edits.push({ what, ...place, make: () => edited(machine, [[path.map(String), value]]) });

  for (const node of nodesOf(machine.root)) {
    const base = node.path.flatMap((key) => ['states', key]);
    const state = pathOf(node);
    for (const { path, config, taken } of waysOf(node)) {
      const from = [...base, ...path];
      const ids = taken.flatMap((each) => namesOf([each]));
      const ways = listOf(config);
      if (ids.length !== ways.length)
        throw new Error(`${machine.id}: ${state}: unread ways upon ${path.join('.')}`);
      // What does nothing may as well be missing, unless a state around it hears the event.
      const isEqual = isIdle(ways.at(-1)) && !isHeardAbove(node, String(path[1]));
      if ((ways.length === 1 || path[0] !== 'always') && !(isEqual && ways.length === 1))
        add(`${machine.id}: ${state}: deaf to ${path.at(-1)}`, { at: ids }, from, nothing);
      for (const [n, way] of ways.entries()) {
        const id = ids[n] as string;
        const isLast = n === ways.length - 1;
        if (ways.length > 1 && !(isLast && isEqual)) add(`${id}: missing`, { at: [id] }, from, without(n));
        if (typeof way !== 'object' || way === null) continue;
        const here = Array.isArray(config) ? [...from, n] : from;
        const { guard, actions } = way as Config;
        // Without its guard a way is taken in place of those after it, and where the event did nothing.
        if (guard !== undefined)
          add(`${id}: without its guard`, { at: ids.slice(n), within: state }, [...here, 'guard'], nothing);
        for (const [a, name] of namesIn(listOf(actions)).entries())
          add(`${id}: without ${name}`, { at: [id] }, [...here, 'actions'], without(a));
      }
    }
    for (const when of ['entry', 'exit'])
      for (const [a, name] of namesIn(listOf((node.config as Config)[when])).entries())
        add(
          `${machine.id}: ${state}: ${when} without ${name}`,
          { at: [], within: state },
          [...base, when],
          without(a),
        );
  }
  return edits;
}
