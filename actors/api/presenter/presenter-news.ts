import { heard, type Heard, type McpEvent, type Phases } from '../../../machines/presenter/index.ts';
import type { Computer } from '../computer/computer-handle.ts';
import type { PresenterEvents } from './presenter-handle.ts';

type Emit = <Name extends keyof PresenterEvents>(name: Name, value: PresenterEvents[Name]) => void;

/** What a computer tells, as a presenter tells it: the state of a fold. */
export class PresenterNews {
  readonly #computer: Computer;
  readonly #emit: Emit;
  #phases: Phases = {};
  #isWatchingCalls = false;
  /** By `reqId`, of calls in flight: the id under which a conversation waits for the result. */
  readonly toolCallIds = new Map<string, string>();

  constructor(computer: Computer, emit: Emit) {
    this.#computer = computer;
    this.#emit = emit;
    computer.on('server.changed', ({ name, state, failure }) =>
      this.#hear({ type: 'server.changed', name, state, failure }),
    );
    computer.on('server.removed', ({ name }) => this.#hear({ type: 'server.removed', name }));
  }
  /** Nothing is watched, and nothing costs, before somebody listens. */
  watchCalls(): void {
    if (this.#isWatchingCalls) return;
    this.#isWatchingCalls = true;
    this.#computer.on('call.settled', (call) => {
      const reqId = this.toolCallIds.get(call.reqId) ?? call.reqId;
      this.#hear({ type: 'call.settled', ...call, reqId });
    });
  }
  ordered(name: string): void {
    const state = this.#computer.servers().find((server) => server.name === name)?.state;
    // An order to one that is disabled starts nothing.
    if (state && state !== 'disabled' && state !== 'ready') this.#hear({ type: 'start.ordered', name });
  }
  tell({ name, value }: McpEvent<never>): void {
    this.#emit(name, value);
  }
  #hear(event: Heard): void {
    const { phases, events } = heard(this.#phases, event);
    this.#phases = phases;
    for (const each of events) this.tell(each);
  }
}
