import { describe, expect, it } from 'vitest';
import type { AskFact, Give } from '../../kernel/ports.ts';
import { askInTurn, busy, type Lanes, type Turn } from './lanes.ts';

const question = { id: 'call', session: 's', method: 'tools/call' };
const answered: AskFact = { type: 'ask.answered', id: 'call', result: {} };
const failure = busy('fs', { concurrency: 1, queue: 0 }, false);

interface Asked {
  readonly heard: string[];
  readonly facts: AskFact[];
  readonly turn: Turn;
  /** What the other side says. */
  readonly said: Give<AskFact>;
  readonly withdraw: () => void;
}
/** A question in a lane that does what it is told; `happened` has, in their order, what was asked of whom. */
function ask({
  enters = () => {},
  asks = () => () => {},
}: {
  enters?: (turn: Turn) => void;
  asks?: (give: Give<AskFact>) => () => void;
} = {}): Asked {
  const heard: string[] = [];
  const facts: AskFact[] = [];
  const known: { turn?: Turn; give?: Give<AskFact> } = {};
  const lanes: Lanes = {
    enter(server, turn) {
      heard.push(`enters ${server}`);
      known.turn = turn;
      enters(turn);
      let isOver = false;
      return () => {
        if (!isOver) heard.push('leaves');
        isOver = true;
      };
    },
  };
  const give = (fact: AskFact): void => {
    facts.push(fact);
    heard.push(fact.type);
  };
  const withdraw = askInTurn(lanes, 'fs', question, give, (said) => {
    heard.push('sent');
    known.give = said;
    const back = asks(said);
    return () => {
      heard.push('taken back');
      back();
    };
  });
  return { heard, facts, turn: known.turn as Turn, said: (fact) => known.give?.(fact), withdraw };
}

describe('a question in a lane', () => {
  it('is sent at once where there is room, and nobody hears that it began', () => {
    const { heard, said } = ask({ enters: (turn) => turn.go() });
    said(answered);
    expect(heard).toEqual(['enters fs', 'sent', 'leaves', 'ask.answered']);
  });

  it('says that it waits, then that it begins, and is sent only then', () => {
    const { heard, turn, said, facts } = ask({ enters: (own) => own.waits(3) });
    expect(heard).toEqual(['enters fs', 'ask.waiting']);
    expect(facts).toEqual([{ type: 'ask.waiting', id: 'call', ahead: 3 }]);
    turn.go();
    said(answered);
    expect(heard.slice(2)).toEqual(['ask.began', 'sent', 'leaves', 'ask.answered']);
  });

  it('keeps its place while it makes progress', () => {
    const { heard, said } = ask({ enters: (turn) => turn.go() });
    said({ type: 'ask.progress', id: 'call', progress: 1 });
    expect(heard).toEqual(['enters fs', 'sent', 'ask.progress']);
  });

  it('gives its place back when it is answered at once, before it knows its place', () => {
    const { heard } = ask({
      enters: (turn) => turn.go(),
      asks: (give) => {
        give(answered);
        return () => {};
      },
    });
    expect(heard).toEqual(['enters fs', 'sent', 'ask.answered', 'leaves']);
  });

  it('is refused where the lane is full, as surely not sent', () => {
    const { heard, facts } = ask({ enters: (turn) => turn.busy(failure) });
    expect(heard).toEqual(['enters fs', 'ask.refused', 'leaves']);
    expect(facts).toEqual([{ type: 'ask.refused', id: 'call', sent: false, failure }]);
  });

  it('that waited, and is refused then, gives its place back', () => {
    const { heard, turn } = ask({ enters: (own) => own.waits(0) });
    turn.busy(failure);
    expect(heard).toEqual(['enters fs', 'ask.waiting', 'leaves', 'ask.refused']);
  });

  it('is refused, and gives its place back, when it cannot be sent', () => {
    const { heard, facts } = ask({
      enters: (turn) => turn.go(),
      asks: () => {
        throw new Error('no JSON');
      },
    });
    expect(heard).toEqual(['enters fs', 'sent', 'ask.refused', 'leaves']);
    expect(facts).toMatchObject([{ sent: false, failure: { message: expect.stringContaining('no JSON') } }]);
  });

  it('that is withdrawn while it waits leaves, and the server hears nothing of it', () => {
    const { heard, turn, withdraw } = ask({ enters: (own) => own.waits(0) });
    withdraw();
    expect(heard).toEqual(['enters fs', 'ask.waiting', 'leaves']);
    withdraw();
    expect(heard).toHaveLength(3);
    expect(turn).toBeDefined();
  });

  it('that is withdrawn while it runs leaves, and is taken back at the server', () => {
    const { heard, withdraw } = ask({ enters: (turn) => turn.go() });
    withdraw();
    expect(heard).toEqual(['enters fs', 'sent', 'leaves', 'taken back']);
  });

  it('that ends over hearing that it began is never sent', () => {
    const heard: string[] = [];
    const known: { turn?: Turn; withdraw?: () => void } = {};
    const lanes: Lanes = {
      enter(_, turn) {
        known.turn = turn;
        turn.waits(0);
        return () => void heard.push('leaves');
      },
    };
    const give = ({ type }: AskFact): void => {
      heard.push(type);
      if (type === 'ask.began') known.withdraw?.();
    };
    known.withdraw = askInTurn(lanes, 'fs', question, give, () => {
      heard.push('sent');
      return () => {};
    });
    known.turn?.go();
    expect(heard).toEqual(['ask.waiting', 'ask.began', 'leaves']);
  });
});

describe('busy', () => {
  it('says whose lane is full, how long it is, and what to raise', () => {
    const limits = { concurrency: 2, queue: 3 };
    expect(busy('fs', limits, false)).toMatchObject({
      code: 'Busy',
      details: { server_name: 'fs', concurrency: 2, queue: 3 },
      remedy: expect.stringMatching(/a2c\.concurrency .* of the server/),
    });
    expect(busy('fs', limits, true)).toMatchObject({
      message: expect.stringContaining('on this computer'),
      remedy: expect.stringContaining('a2c.totalConcurrency'),
    });
  });
});
