/** Extent of the measurement of a row. */
export interface Plan {
  readonly isQuick: boolean;
  /** Number of pairs, of which the median counts. */
  readonly rounds: number;
  /** Time in ms for which one side of a pair is measured. */
  readonly sliceMs: number;
  /** Number of calls of each side before the first pair. */
  readonly warmCalls: number;
}
export const plans: Readonly<Record<'whole' | 'quick', Plan>> = {
  whole: { isQuick: false, rounds: 11, sliceMs: 500, warmCalls: 10_000 },
  quick: { isQuick: true, rounds: 2, sliceMs: 30, warmCalls: 200 },
};

export interface Aim {
  readonly best: 'low' | 'high';
  readonly limit: number;
}
export const atMost = (limit: number): Aim => ({ best: 'low', limit });
export const atLeast = (limit: number): Aim => ({ best: 'high', limit });

export interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly sides?: { readonly yardstick: number; readonly ours: number; readonly unit: string };
  readonly aim?: Aim;
}
/** Figures of a row, with the reason when there are no more. */
export interface Outcome {
  readonly row: string;
  readonly figures: readonly Figure[];
  readonly notMeasured?: string;
}
export type Tell = (figure: Figure) => void;

export interface Row {
  readonly name: string;
  readonly about: string;
  readonly flags?: readonly string[];
  readonly measure: (plan: Plan, tell: Tell) => Promise<void>;
}
