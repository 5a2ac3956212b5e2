import type { HostAnswer } from '../host.ts';
import type { Verdict, Word } from '../judge.ts';
import type { Marked } from '../processes.ts';

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
export const say = ({ ok, isError, isLate, error = '', outcome, ms }: HostAnswer): string => {
  const how = ok
    ? isError
      ? 'ok, isError'
      : 'ok'
    : isLate
      ? 'HANGS'
      : `error “${error.replace(/\s+/g, ' ').slice(0, 160)}”`;
  return `${how}${outcome === undefined ? '' : `, outcome ${outcome}`} (${seconds(ms)})`;
};
export const sayLeft = (left: readonly Marked[]): string =>
  left.length === 0 ? 'nothing left' : `LEFT ${left.map(({ command }) => command).join(', ')}`;

export const judged = (isRight: boolean, isPartly: boolean, facts: string): Verdict => {
  const verdict: Word = isRight ? 'right' : isPartly ? 'partly' : 'wrong';
  return { verdict, facts };
};
