import { fieldsOf, isObject } from '../../machines/protocol/json.ts';

export const nameOf = (address: string): string => address.replace(/#\d+$/, '');

/** Value that a running host keeps because it is large. A page can ask the host for it. */
export interface LaterValue {
  readonly number: number;
  readonly size: number;
}
/** Reads `{"$later": [number, size]}`, which stands for a large value that the host kept; undefined for other values. */
export function laterOf(value: unknown): LaterValue | undefined {
  const { $later } = fieldsOf(value);
  if (!Array.isArray($later)) return undefined;
  const [number, size] = $later as readonly unknown[];
  return typeof number === 'number' && typeof size === 'number' ? { number, size } : undefined;
}
export const sizeOf = (value: unknown): number | undefined =>
  Array.isArray(value) ? value.length : laterOf(value)?.size;

/** Shows invisible characters, and those that reverse the direction of a text, as their codes. */
export const visible = (text: string): string =>
  text.replaceAll(
    /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u200B-\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/g,
    (char) => String.raw`\u` + char.charCodeAt(0).toString(16).padStart(4, '0'),
  );
/** Length of the first part of a list for which this is so; it is for no later element. */
export function countWhile<T>(list: readonly T[], isSo: (each: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(list[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
const withUnit = (value: number, unit: string): string =>
  `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${unit}`;
export function durationText(ms: number): string {
  if (ms < 0) return `−${durationText(-ms)}`;
  if (ms < 1) return `${(ms * 1_000).toFixed(0)} µs`;
  if (ms < 999.5) return withUnit(ms, 'ms');
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return withUnit(ms / 60_000, 'min');
  return withUnit(ms / 3_600_000, 'h');
}
export const countText = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : noun.replace(/y$/, 'ie').concat('s')}`;
/** With the date unless `now` is on the same day. */
export function dayTimeText(ms: number, now: number): string {
  const [date, today] = [new Date(ms), new Date(now)];
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  if (date.toDateString() === today.toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}
export const finerTimeText = (ms: number, now: number): string =>
  `${dayTimeText(ms, now)}.${String(Math.floor(ms % 1_000)).padStart(3, '0')}`;
export function clockText(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}
/** Returns an XState state as text: `{connected: {ready: 'steady'}}` as `connected.ready.steady`. */
export function stateText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return '';
  return Object.entries(value)
    .map(([name, inner]) => [name, stateText(inner)].filter((part) => part !== '').join('.'))
    .join(' + ');
}
/** Returns the paths of all active states, outer ones too: `connected`, `connected.ready`, `connected.ready.steady`. */
export function activeIn(value: unknown, outer = ''): string[] {
  if (typeof value === 'string') return [outer + value];
  return Object.entries(fieldsOf(value)).flatMap(([name, inner]) => [
    outer + name,
    ...activeIn(inner, `${outer}${name}.`),
  ]);
}

/** Range of time on the wall clock in ms. */
export interface Range {
  readonly from: number;
  readonly to: number;
}
export const isWithin = (range: Range | undefined, from: number, to = from): boolean =>
  range === undefined || (from <= range.to && to >= range.from);
