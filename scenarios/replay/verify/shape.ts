import { differences } from '../world/matching.ts';

/** Shape of a JSON value: its types and keys. All elements of a list share one shape, and the length of a list does not count. */
type Shape = {
  readonly kinds: ReadonlySet<string>;
  readonly fields: ReadonlyMap<string, Shape>;
  readonly each?: Shape;
};
const isHidden = (value: unknown): boolean => typeof value === 'string' && value.includes('«redacted:');

const none: Shape = { kinds: new Set(), fields: new Map() };
function shapeOf(value: unknown): Shape {
  // Treats a hidden value as text or number, because a hidden number is written as a text too.
  if (isHidden(value)) return { kinds: new Set(['string', 'number']), fields: new Map() };
  if (Array.isArray(value))
    return { kinds: new Set(['list']), fields: new Map(), each: value.map(shapeOf).reduce(joined, none) };
  if (typeof value !== 'object' || value === null)
    return { kinds: new Set([value === null ? 'null' : typeof value]), fields: new Map() };
  const fields = Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)] as const);
  return { kinds: new Set(['object']), fields: new Map(fields) };
}
function joined(one: Shape, other: Shape): Shape {
  const keys = new Set([...one.fields.keys(), ...other.fields.keys()]);
  const both = [...keys].map(
    (key) => [key, joined(one.fields.get(key) ?? none, other.fields.get(key) ?? none)] as const,
  );
  const each = one.each && other.each ? joined(one.each, other.each) : (one.each ?? other.each);
  return { kinds: new Set([...one.kinds, ...other.kinds]), fields: new Map(both), ...(each && { each }) };
}
const isEmpty = ({ kinds }: Shape): boolean => kinds.size === 0;
/** Places where a recorded key is missing or a type differs. Additional keys are no difference. */
function apart(recorded: Shape, now: Shape, path: string): readonly string[] {
  const isOther = ![...recorded.kinds].some((kind) => now.kinds.has(kind));
  if (isOther)
    return [`${path || 'it'} is ${[...now.kinds].join(' or ')}, was ${[...recorded.kinds].join(' or ')}`];
  const inner = [...recorded.fields].flatMap(([key, shape]) => {
    const place = path === '' ? key : `${path}.${key}`;
    const found = now.fields.get(key);
    return found ? apart(shape, found, place) : [`${place} is missing`];
  });
  const { each = none } = recorded;
  const elements = now.each ?? none;
  return isEmpty(each) || isEmpty(elements) ? inner : [...inner, ...apart(each, elements, `${path}[]`)];
}

/** Differences between an answer and the recorded one, one line each: in types and keys or, with `isExact`, in values. */
export function answerDifferences(recorded: unknown, now: unknown, isExact: boolean): readonly string[] {
  if (isExact) return differences(recorded, now).map((path) => `${path || 'it'} has another value`);
  return apart(shapeOf(recorded), shapeOf(now), '');
}
