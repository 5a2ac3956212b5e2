import { describe, expect, it } from 'vitest';
import type { RequestFact, Emit } from '../../kernel/ports.ts';
import { requestLimited, busy, type CallLimiters, type Entrant } from './call-limiters.ts';

const request = { id: 'call', target: 's', method: 'tools/call' };
const answered: RequestFact = { type: 'ask.answered', id: 'call', result: {} };
const failure = busy('fs', { concurrency: 1, queue: 0 }, false);

interface Asked {
  readonly heard: string[];
  readonly facts: RequestFact[];
  readonly entrant: Entrant;
  readonly said: Emit<RequestFact>;
  readonly withdraw: () => void;
}
/** Starts a request in a fake limiter; `heard` lists in order the requests that limiter and server received. */
function ask({
  enters = () => {},
  asks = () => () => {},
}: { enters?: (entrant: Entrant) => void; asks?: (emit: Emit<RequestFact>) => () => void } = {}): Asked {
  const heard: string[] = [];
  const facts: RequestFact[] = [];
  const known: { entrant?: Entrant; emit?: Emit<RequestFact> } = {};
  const limiters: CallLimiters = {
    enter(server, entrant) {
      heard.push(`enters ${server}`);
      known.entrant = entrant;
      enters(entrant);
      let isOver = false;
      return () => {
        if (!isOver) heard.push('leaves');
        isOver = true;
      };
    },
  };
  const emit = (fact: RequestFact): void => {
    facts.push(fact);
    heard.push(fact.type);
  };
  const withdraw = requestLimited(limiters, 'fs', request, emit, (said) => {
    heard.push('sent');
    known.emit = said;
    const back = asks(said);
    return () => {
      heard.push('taken back');
      back();
    };
  });
  return { heard, facts, entrant: known.entrant as Entrant, said: (fact) => known.emit?.(fact), withdraw };
}

describe('a question in a limiter', () => {
  it('is sent at once where there is room, and nobody hears that it began', () => {
    const { heard, said } = ask({ enters: (entrant) => entrant.go() });
    said(answered);
    expect(heard).toEqual(['enters fs', 'sent', 'leaves', 'ask.answered']);
  });

  it('says that it waits, then that it begins, and is sent only then', () => {
    const { heard, entrant, said, facts } = ask({ enters: (own) => own.waits(3) });
    expect(heard).toEqual(['enters fs', 'ask.waiting']);
    expect(facts).toEqual([{ type: 'ask.waiting', id: 'call', ahead: 3 }]);
    entrant.go();
    said(answered);
    expect(heard.slice(2)).toEqual(['ask.began', 'sent', 'leaves', 'ask.answered']);
  });

  it('keeps its place while it makes progress', () => {
    const { heard, said } = ask({ enters: (entrant) => entrant.go() });
    said({ type: 'ask.progress', id: 'call', progress: 1 });
    expect(heard).toEqual(['enters fs', 'sent', 'ask.progress']);
  });

  it('gives its place back when it is answered at once, before it knows its place', () => {
    const { heard } = ask({
      enters: (entrant) => entrant.go(),
      asks: (emit) => {
        emit(answered);
        return () => {};
      },
    });
    expect(heard).toEqual(['enters fs', 'sent', 'ask.answered', 'leaves']);
  });

  it('is refused where the limiter is full, as surely not sent', () => {
    const { heard, facts } = ask({ enters: (entrant) => entrant.busy(failure) });
    expect(heard).toEqual(['enters fs', 'ask.refused', 'leaves']);
    expect(facts).toEqual([{ type: 'ask.refused', id: 'call', sent: false, failure }]);
  });

  it('a question that waited and is refused then gives its place back', () => {
    const { heard, entrant } = ask({ enters: (own) => own.waits(0) });
    entrant.busy(failure);
    expect(heard).toEqual(['enters fs', 'ask.waiting', 'leaves', 'ask.refused']);
  });

  it('is refused, and gives its place back, when it cannot be sent', () => {
    const { heard, facts } = ask({
      enters: (entrant) => entrant.go(),
      asks: () => {
        throw new Error('no JSON');
      },
    });
    expect(heard).toEqual(['enters fs', 'sent', 'ask.refused', 'leaves']);
    expect(facts).toMatchObject([{ sent: false, failure: { message: expect.stringContaining('no JSON') } }]);
  });

  it('a question that is withdrawn while it waits leaves, and the server hears nothing of it', () => {
    const { heard, entrant, withdraw } = ask({ enters: (own) => own.waits(0) });
    withdraw();
    expect(heard).toEqual(['enters fs', 'ask.waiting', 'leaves']);
    withdraw();
    expect(heard).toHaveLength(3);
    expect(entrant).toBeDefined();
  });

  it('a question that is withdrawn while it runs leaves, and is taken back at the server', () => {
    const { heard, withdraw } = ask({ enters: (entrant) => entrant.go() });
    withdraw();
    expect(heard).toEqual(['enters fs', 'sent', 'leaves', 'taken back']);
  });

  it('a question that ends over hearing that it began is never sent', () => {
    const heard: string[] = [];
    const known: { entrant?: Entrant; withdraw?: () => void } = {};
    const limiters: CallLimiters = {
      enter(_, entrant) {
        known.entrant = entrant;
        entrant.waits(0);
        return () => void heard.push('leaves');
      },
    };
    const emit = ({ type }: RequestFact): void => {
      heard.push(type);
      if (type === 'ask.began') known.withdraw?.();
    };
    known.withdraw = requestLimited(limiters, 'fs', request, emit, () => {
      heard.push('sent');
      return () => {};
    });
    known.entrant?.go();
    expect(heard).toEqual(['ask.waiting', 'ask.began', 'leaves']);
  });
});
