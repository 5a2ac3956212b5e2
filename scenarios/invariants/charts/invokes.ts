import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { pathOf } from '../../../actors/runtime/charts.ts';
import * as ports from '../../../machines/kernel/ports.ts';

/** One actor that a state of a chart invokes. */
export interface Invoke {
  readonly machine: string;
  readonly state: string;
  readonly id: string;
  readonly src: string;
  /**
   * It is a callback port: never done by itself. When it throws, its machine fails as a whole unless the chart says
   * otherwise, and that is heard by the machine's owner.
   */
  readonly isPort: boolean;
  readonly hears: { readonly done: boolean; readonly error: boolean };
}

const callbackPorts = new Set<unknown>(Object.values(ports));
const nodesOf = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...Object.values(node.states as Record<string, AnyStateNode>).flatMap(nodesOf),
];
const withAbove = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...(node.parent ? withAbove(node.parent) : []),
];

export const invokesOf = (machine: AnyStateMachine): Invoke[] =>
  nodesOf(machine.root).flatMap((node) =>
    node.invoke.map(({ id, src }) => {
      const name = typeof src === 'string' ? src : id;
      const isDeclared = (event: string): boolean =>
        withAbove(node).some(({ transitions }) => transitions.has(event));
      return {
        machine: machine.id,
        state: pathOf(node),
        id,
        src: name,
        isPort: callbackPorts.has(machine.implementations.actors[name]),
        hears: { done: isDeclared(`xstate.done.actor.${id}`), error: isDeclared(`xstate.error.actor.${id}`) },
      };
    }),
  );

/** Every invoked actor that can be done has its done and its error declared; a port is neither done nor caught. */
export const unheardInvokes = (machine: AnyStateMachine): string[] =>
  invokesOf(machine).flatMap(({ machine: kind, state, id, isPort, hears }) => {
    if (isPort) return [];
    const missing = (['done', 'error'] as const).filter((end) => !hears[end]);
    return missing.map((end) => `${kind}: ${state} does not hear the ${end} of ${id}`);
  });
