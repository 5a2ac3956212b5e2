import { describe, expect, it } from 'vitest';
import { noFilter } from './call-list.ts';
import {
  firstChoice as start,
  fragmentOf,
  isHistoryStep,
  needsRecords,
  viewOf,
  type Choice,
} from './choice.ts';

const chosen: Choice = {
  ...start,
  panel: 'calls',
  call: 'host.r1',
  actor: 'computer/client:a b#2',
  range: { from: 1_795_711_769_123.5, to: 1_795_711_770_000 },
  calls: { ...noFilter, kind: 'failed', text: 'a & b=c' },
};

describe('the address of a view', () => {
  it('keeps the token, and says nothing of what is as at the start', () => {
    expect(fragmentOf(start, undefined, '#token=0a')).toBe('#token=0a');
    expect(fragmentOf(start, undefined, '')).toBe('');
    expect(fragmentOf(start, undefined, '', 'calls')).toBe('#panel=servers');
    expect(fragmentOf(chosen, 435, '#token=0a&panel=lanes')).toBe(
      '#token=0a&panel=calls&actor=computer%2Fclient%3Aa+b%232&call=host.r1&time=1795711769123.5%7E1795711770000&calls=failed&text=a+%26+b%3Dc&s=435',
    );
  });
  it('leads back to the view', () => {
    const { moment: _, tree: __, ...view } = chosen;
    expect(viewOf(fragmentOf(chosen, 435, '#token=0a'))).toEqual({ ...view, s: 435 });
  });
  it('is the start when it has parts that nobody knows', () => {
    const { moment: _, tree: __, ...rest } = start;
    const view = { ...rest, panel: undefined };
    expect(viewOf('#token=0a&panel=constructor&calls=odd&s=-1&s2=%zz&time=9~1')).toEqual(view);
    expect(viewOf('#time=~5')).toEqual(view);
  });
});
it('a step back undoes the choice of a panel or a call, and not a move of the moment', () => {
  expect(isHistoryStep(start, chosen)).toBe(true);
  expect(isHistoryStep(chosen, { ...chosen, moment: 5 })).toBe(false);
});
it('a chart needs all records of a running host, also while the actors are hidden, and the overview does not', () => {
  expect(needsRecords({ ...start, panel: 'chart', tree: false })).toBe(true);
  expect(needsRecords(start)).toBe(false);
});
