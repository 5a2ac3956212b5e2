import { nearest } from '../../machines/text.ts';
import { median } from './measure.ts';
import type { Figure, Outcome, Plan, Row } from './row.ts';
import { numberOf } from './table.ts';

export type Play = (
  row: Row,
  plan: Plan,
  tell: (figure: Figure) => void,
  signal: AbortSignal,
) => Promise<void>;

export interface Running {
  readonly plan: Plan;
  readonly play: Play;
  readonly late: () => AbortSignal;
  readonly stop: AbortSignal;
  readonly progress: (text: string) => void;
}

export function chosen(rows: readonly Row[], only: string): readonly Row[] {
  const names = only.split(',').flatMap((name) => name.trim() || []);
  for (const name of names) {
    if (rows.some((row) => row.name === name)) continue;
    const [like] = nearest(
      name,
      rows.map((row) => row.name),
    );
    throw new Error(
      `no row is called ${name}${like === undefined ? '' : `: did you mean ${like}`}? --list has all`,
    );
  }
  return names.length > 0 ? rows.filter(({ name }) => names.includes(name)) : rows;
}

/** A row that fails or hangs leaves the others alone. */
export async function measured(rows: readonly Row[], running: Running): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [at, row] of rows.entries()) {
    running.progress(`${at + 1} of ${rows.length}: ${row.name}`);
    const outcome = await outcomeOf(row, running);
    if (outcome.notMeasured !== undefined)
      running.progress(`${row.name}: not measured: ${outcome.notMeasured}`);
    outcomes.push(outcome);
  }
  return outcomes;
}

async function outcomeOf(row: Row, { plan, play, late, stop, progress }: Running): Promise<Outcome> {
  const figures: Figure[] = [];
  const outcome = { row: row.name, figures };
  const broken: string[] = [];
  const tell = (figure: Figure): void => {
    const { what, values, unit } = figure;
    if (values.length > 0 && values.every(Number.isFinite)) figures.push(figure);
    else broken.push(`${what}: ${values.join(', ') || 'no values'}`);
    progress(`  ${what}: ${numberOf(median(values))} ${unit}`);
  };
  const signal = AbortSignal.any([stop, late()]);
  try {
    signal.throwIfAborted();
    await orAborted(play(row, plan, tell, signal), signal);
  } catch (error) {
    return { ...outcome, notMeasured: error instanceof Error ? error.message : String(error) };
  }
  if (figures.length === 0 && broken.length === 0) broken.push('it told no figure');
  return broken.length > 0 ? { ...outcome, notMeasured: broken.join('; ') } : outcome;
}

/** A row that does not end must not hold the others. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    // The signal may have been aborted before the listener was added.
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
