import { fieldsOf, type Fields } from '../protocol/json.ts';

/** Line of a trace as it was read: any field may be missing or of another type. */
export interface Row extends Fields {
  readonly s: number;
  /** Milliseconds since the recording began. */
  readonly t: number;
  readonly k: string;
}
export const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;
