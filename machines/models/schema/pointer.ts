/** A schema, or a part of one, as a server wrote it: anything. */
export type Raw = unknown;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
/** A schema that says more than this is looked through no further. */
const mostNodes = 20_000;

/** What a `$ref` of this schema leads to, inside of it; nothing that stands elsewhere is fetched. */
export function targetsOf(root: Raw): (ref: string) => Raw {
  let names: ReadonlyMap<string, Raw> | undefined;
  return (ref) => {
    const [base, fragment] = splitOnce(ref, '#');
    const start = base === '' ? root : (names ??= namedIn(root)).get(base);
    if (fragment === undefined || fragment === '') return start;
    if (fragment.startsWith('/')) return walk(start, fragment);
    return (names ??= namedIn(root)).get(`#${fragment}`);
  };
}

const splitOnce = (text: string, mark: string): readonly [string, string?] => {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
};

/** RFC 6901, in a URI fragment. */
function walk(start: Raw, pointer: string): Raw {
  let at = start;
  for (const step of pointer.split('/').slice(1)) {
    const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Everything in it that has a name of its own: `$id`, `id`, and `#anchor`. */
function namedIn(root: Raw): ReadonlyMap<string, Raw> {
  const names = new Map<string, Raw>();
  const rest: Raw[] = [root];
  for (let count = 0; rest.length > 0 && count < mostNodes; count += 1) {
    const node = rest.shift();
    if (!isObject(node)) continue;
    for (const key of ['$id', 'id', '$anchor', '$dynamicAnchor']) {
      const name = Object.hasOwn(node, key) ? node[key] : undefined;
      if (typeof name !== 'string') continue;
      const full = key.endsWith('nchor') ? `#${name}` : name.replace(/(.)#$/, '$1');
      if (!names.has(full)) names.set(full, node);
    }
    rest.push(...Object.values(node).filter(isObject));
  }
  return names;
}
