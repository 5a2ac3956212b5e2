import { isAnswer, type RequestFact, type Emit, type Ports } from '../../kernel/ports.ts';
import { wireCodes, type Failure } from '../../protocol/failure.ts';

/** How many calls of one server, or of all servers of a computer, may run, and how many may wait for that. */
export interface CallLimits {
  /** 0 = any number. */
  readonly concurrency: number;
  /** How many more may wait for their turn; beyond it a call is refused as `Busy`. 0 = any number. */
  readonly queue: number;
}
/** Without a word in the config: what stops a flood before it fills the memory, and no more than that. */
export const defaultLimits: CallLimits = { concurrency: 1_000, queue: 1_000 };
export const noLimits: CallLimits = { concurrency: 0, queue: 0 };

/** One that wants to run; it hears `waits` or nothing, then `go` or `busy` once, and leaves when it is over. */
export interface Entrant {
  go(): void;
  /** So many come before it. */
  waits(ahead: number): void;
  busy(failure: Failure): void;
}
/** Port `limiters`: who runs when. In each limiter whoever came first goes first. */
export interface CallLimiters {
  /** The returned function leaves, whether it waits or runs; whoever comes next begins a moment later, never in between. */
  enter(server: string, entrant: Entrant): () => void;
}

export const busy = (server: string, { concurrency, queue }: CallLimits, isTotal: boolean): Failure => ({
  code: 'Busy',
  message: isTotal
    ? `${concurrency} calls run on this computer and ${queue} wait already; this one was not sent`
    : `${concurrency} calls of server '${server}' run and ${queue} wait already; this one was not sent`,
  details: { server_name: server, concurrency, queue },
  remedy: isTotal
    ? 'Call again later, or raise a2c.totalConcurrency or a2c.totalQueue.'
    : 'Call again later, or raise a2c.concurrency or a2c.queue of the server.',
});

type PortRequest = Parameters<Ports['request']>[1];
/** A question that is asked in its turn. Whoever asks hears that it waits and when it begins, then what it always hears. */
export function requestLimited(
  limiters: CallLimiters,
  server: string,
  { id }: PortRequest,
  emit: Emit<RequestFact>,
  send: (emit: Emit<RequestFact>) => () => void,
): () => void {
  const it: { hasWaited: boolean; isOver: boolean; withdraw?: () => void; leave?: () => void } = {
    hasWaited: false,
    isOver: false,
  };
  const end = (): void => {
    it.isOver = true;
    it.leave?.();
  };
  const leave = limiters.enter(server, {
    waits: (ahead) => {
      it.hasWaited = true;
      emit({ type: 'ask.waiting', id, ahead });
    },
    go: () => {
      if (it.hasWaited) emit({ type: 'ask.began', id });
      // Whoever heard that it began may have ended over it.
      if (it.isOver) return;
      const said = (fact: RequestFact): void => {
        if (isAnswer(fact.type)) end();
        emit(fact);
      };
      try {
        it.withdraw = send(said);
      } catch (error) {
        const message = `It could not be sent: ${String(error)}`;
        said({ type: 'ask.refused', id, sent: false, failure: { code: wireCodes.badRequest, message } });
      }
    },
    busy: (failure) => {
      // It may have waited for its server, and holds its place there when there is none on the computer.
      end();
      emit({ type: 'ask.refused', id, sent: false, failure });
    },
  });
  it.leave = leave;
  // Answered at once.
  if (it.isOver) leave();
  return () => {
    end();
    it.withdraw?.();
  };
}
