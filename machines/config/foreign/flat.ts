import { isObject, type Fields } from '../../protocol/json.ts';

/** An entry with all its facts beside its name. */
export interface FlatEntry {
  readonly entry: Fields;
  /** Keys that stood one level deeper, by the key that held them. */
  readonly deeper: ReadonlyMap<string, string>;
  /** Keys that stand at both levels and say different things there. */
  readonly twice: readonly string[];
}
const isText = (value: unknown): value is string => typeof value === 'string';

/** An entry as most clients write it: `transport` may hold its facts, `requestInit` its headers, `command` its arguments. */
export function flatEntry(given: Fields): FlatEntry {
  const { transport, ...beside } = given;
  const held = isObject(transport) ? transport : {};
  const deeper = new Map(Object.keys(held).map((key) => [key, 'transport']));
  const twice = Object.keys(held).filter(
    (key) => Object.hasOwn(beside, key) && JSON.stringify(beside[key]) !== JSON.stringify(held[key]),
  );
  // `Object.fromEntries`, for a key may be __proto__.
  const entry = isObject(transport)
    ? Object.fromEntries([...Object.entries(held), ...Object.entries(beside)])
    : given;
  return { entry: withHeaders(withCommand(entry)), deeper, twice };
}
function withCommand(entry: Fields): Fields {
  const { command, args } = entry;
  if (!Array.isArray(command) || command.length === 0 || !command.every(isText)) return entry;
  const rest: unknown = args ?? [];
  if (!Array.isArray(rest)) return entry;
  const [program, ...first] = command;
  const all = [...first, ...(rest as readonly unknown[])];
  return Object.fromEntries(
    Object.entries(entry).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'command')
        return [
          ['command', program],
          ['args', all],
        ];
      return key === 'args' ? [] : [[key, value]];
    }),
  );
}
function withHeaders(entry: Fields): Fields {
  const { requestInit, ...rest } = entry;
  if (!isObject(requestInit)) return entry;
  return { ...rest, ...(requestInit['headers'] !== undefined && { headers: requestInit['headers'] }) };
}
