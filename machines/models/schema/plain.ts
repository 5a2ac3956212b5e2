import { keywords } from './keywords.ts';
import { merged } from './merge.ts';
import { targetsOf, type Raw } from './pointer.ts';
import { mostParts, withFitting, type Schema } from './schema.ts';
import { orNull, respelled, typed } from './spelling.ts';
import { isObject } from '../../protocol/json.ts';

/** Further down than this a schema is not looked into. */
const deepest = 24;

interface Walk {
  readonly find: (ref: string) => Raw;
  /** What the references lead through from the root to here: one that leads back would never end. */
  readonly through: readonly Raw[];
  readonly depth: number;
  readonly levels: number;
  readonly parts: { left: number };
}

/**
 * The schema of a server, made plain: references put in place, broken values left out, what other drafts and OpenAPI
 * spell otherwise spelled as 2020-12 does. It allows whatever the server's own allows, and here and there more. Where
 * a reference leads back to where it stands, any value of that type is allowed.
 *
 * References can make a schema as large as one likes. One of too many parts is looked into as many levels as have no
 * more, for depth first the first parameter would take what all of them need.
 */
export function plain(schema: Raw): Schema {
  const find = targetsOf(schema);
  const upTo = (levels: number): { readonly found: Schema; readonly isWhole: boolean } => {
    const parts = { left: mostParts };
    const found = read(schema, { find, through: [schema], depth: 0, levels, parts }) ?? {};
    return { found, isWhole: parts.left >= 0 };
  };
  let last = upTo(deepest);
  if (last.isWhole) return last.found;
  for (let levels = 0; levels < deepest; levels += 1) {
    const next = upTo(levels);
    if (levels > 0 && !next.isWhole) break;
    last = next;
  }
  return last.found;
}

function read(node: Raw, walk: Walk): Schema | undefined {
  if (node === false) return undefined;
  if (!isObject(node) || (walk.parts.left -= 1) < 0) return {};
  if (walk.depth > walk.levels) return outline(node);
  const { $ref, $dynamicRef, ...beside } = orNull(node);
  const ref = [$ref, $dynamicRef].find((one) => typeof one === 'string');
  const own = readKeywords(beside, walk);
  if (ref === undefined) return own;
  const target = walk.find(ref);
  if (walk.through.includes(target)) return merged(own, outline(target));
  const found = read(target, { ...walk, through: [...walk.through, target], depth: walk.depth + 1 });
  return found && merged(own, found);
}

/** What can be said of a schema without looking into it. */
function outline(node: Raw): Schema {
  if (!isObject(node)) return {};
  const { description } = node;
  return withItems({
    ...typed(node),
    ...(typeof description === 'string' && { description }),
  });
}

function readKeywords(node: Schema, walk: Walk): Schema {
  const inside = (value: Raw): Schema | undefined => read(value, { ...walk, depth: walk.depth + 1 });
  const known = Object.entries(respelled(node)).flatMap(([key, value]): [string, unknown][] => {
    const good = keywords.get(key)?.(value, inside);
    return good === undefined ? [] : [[key, good]];
  });
  return withItems(withFitting({ ...typed(node), ...Object.fromEntries(known) }));
}

/** Providers refuse an array of which nobody says what is in it. */
const withItems = (schema: Schema): Schema =>
  isArray(schema) && schema['items'] === undefined ? { ...schema, items: {} } : schema;
const isArray = ({ type }: Schema): boolean =>
  type === 'array' || (Array.isArray(type) && type.includes('array'));
