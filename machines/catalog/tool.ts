import { fnv, fnvBasis } from '../kernel/fnv.ts';
import { remembered } from '../kernel/objects.ts';
import type { MetaValue, SmcpTool } from '../protocol/messages/collections.ts';
import { contentHash } from './changes.ts';
import type { Tool } from './entries.ts';

/** Policy for one tool (a2c-wire §3.1); keys beyond these are kept and passed on. */
export interface ToolMeta {
  /** True: it runs without a question. False: a person is asked. Absent: `auto_approve` decides. */
  readonly auto_apply?: boolean | null | undefined;
  /** The name that agents see in the place of its own. */
  readonly alias?: string | null | undefined;
  /** For people and agents; nothing is decided by them. */
  readonly tags?: readonly string[] | null | undefined;
  /** Passed on to agents as it stands; nothing is done with it here. */
  readonly ret_object_mapper?: Readonly<Record<string, unknown>> | null | undefined;
  readonly [extra: string]: unknown;
}

/** One callable tool: `shown` is the name that agents see and call. */
export interface ToolEntry {
  readonly shown: string;
  readonly server: string;
  /** What peers of 0.3 and later know the server by. */
  readonly bundleId: string;
  readonly tool: Tool;
  readonly meta: ToolMeta | null;
  /** What it would be called, and which servers have a tool that would be called so. */
  readonly renamed?: { readonly from: string; readonly servers: readonly string[] };
}

// ── as agents are told of it ──────────────────────────────────────────────────────────────────────────
/**
 * Shallow, at the root: absent or null entries of the tool's own meta fall back to the default (§3.4). Three of them may
 * be put together in any grouping, not in any order.
 */
export function mergeMeta(fallback: ToolMeta | null, own: ToolMeta | undefined): ToolMeta | null {
  if (!own) return fallback;
  if (!fallback) return own;
  const said = Object.entries(own).filter(([, value]) => value !== null && value !== undefined);
  // From pairs, not by assignment: a key may be called `__proto__`.
  return { ...fallback, ...Object.fromEntries(said) };
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));
/** The validator of Python peers drops a whole list for one null or object, so both become JSON strings. */
const flat = (value: unknown): MetaValue => {
  if (isScalar(value)) return value;
  if (Array.isArray(value) && value.every((v) => isScalar(v) && typeof v === typeof value[0]))
    return value as MetaValue;
  return JSON.stringify(value ?? null);
};

/** As agents are told of it; the same object for the same entry. */
export const toSmcpTool = remembered(
  ({ shown, server, bundleId, tool, meta, renamed }: ToolEntry): SmcpTool => {
    const flatMeta: Record<string, MetaValue> = Object.fromEntries(
      Object.entries(tool.meta ?? {}).map(([key, value]) => [key, flat(value)]),
    );
    if (meta) {
      const { auto_apply = null, alias = null, tags = null, ret_object_mapper = null, ...extra } = meta;
      flatMeta.a2c_tool_meta = JSON.stringify({ auto_apply, alias, tags, ret_object_mapper, ...extra });
    }
    if (tool.annotations) {
      const { more, ...annotations } = tool.annotations;
      flatMeta.MCP_TOOL_ANNOTATION = JSON.stringify({ ...annotations, ...more });
    }
    return {
      name: shown,
      bundle_id: bundleId,
      description: `${renamed ? `[${server}] ` : ''}${tool.description || 'None'}`,
      params_schema: tool.inputSchema,
      return_schema: tool.outputSchema ?? null,
      meta: flatMeta,
    };
  },
);

const digestOf = (text: string): string => `${(fnv(fnvBasis, text) >>> 0).toString(16)}-${text.length}`;
const hashOfItem = remembered((item: object) => contentHash(item));
/**
 * A fingerprint of a list, to see whether it changed: 32 bits of FNV-1a over the hashes of its items, and a length. Their
 * order is no change.
 */
export const signatureOf = (list: readonly object[]): string =>
  digestOf(list.map(hashOfItem).toSorted().join());

/** Deeper than any schema that somebody wrote, and far from the depth at which writing JSON overflows the stack. */
const deepest = 200;

/**
 * A copy of some JSON that nobody can change, neither through the copy nor through what it was made from, so that
 * whoever is given an entry cannot reach the list that it came from. Undefined when it is nested too deeply to
 * be written again.
 */
export const frozenJson = <T>(value: T): T | undefined => {
  let isTooDeep = false;
  const copied = (inner: unknown, room: number): unknown => {
    if (typeof inner !== 'object' || inner === null) return inner;
    if (room === 0) {
      isTooDeep = true;
      return null;
    }
    const part = (each: unknown): unknown => copied(each, room - 1);
    if (Array.isArray(inner)) return Object.freeze(inner.map(part));
    // From pairs, not by assignment: a key may be called `__proto__`.
    return Object.freeze(Object.fromEntries(Object.entries(inner).map(([key, each]) => [key, part(each)])));
  };
  const copy = copied(value, deepest) as T;
  return isTooDeep ? undefined : copy;
};
