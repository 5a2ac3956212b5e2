import { fnv, fnvBasis } from '../kernel/fnv.ts';
import { remembered } from '../kernel/objects.ts';
import type { MetaValue, SmcpTool } from '../protocol/messages/collections.ts';
import { contentHash } from './changes.ts';
import type { Tool } from './entries.ts';

/** Policy for one tool (a2c-wire §3.1); unknown keys are kept and passed on. */
export interface ToolMeta {
  /** True: the tool runs without asking. False: a person is asked. Absent: `auto_approve` decides. */
  readonly auto_apply?: boolean | null | undefined;
  /** Name that agents see instead of the tool's own name. */
  readonly alias?: string | null | undefined;
  /** Labels for people and agents; no rule uses them. */
  readonly tags?: readonly string[] | null | undefined;
  /** Mapping for the result, passed on to agents unchanged and not used here. */
  readonly ret_object_mapper?: Readonly<Record<string, unknown>> | null | undefined;
  readonly [extra: string]: unknown;
}

/** Callable tool; `shown` is the name that agents see and call. */
export interface ToolEntry {
  readonly shown: string;
  readonly server: string;
  /** Id of the server for peers of version 0.3 and later. */
  readonly bundleId: string;
  readonly tool: Tool;
  readonly meta: ToolMeta | null;
  /** Name that the tool gave up in a conflict, and the servers with a tool of that name. */
  readonly renamed?: { readonly from: string; readonly servers: readonly string[] };
}

// ── as agents are told of it ──────────────────────────────────────────────────────────────────────────
/**
 * Merges the meta of a tool into the default at the top level only; absent or null entries fall back to the
 * default (§3.4). Merging is associative but not commutative.
 */
export function mergeMeta(fallback: ToolMeta | null, own: ToolMeta | undefined): ToolMeta | null {
  if (!own) return fallback;
  if (!fallback) return own;
  const said = Object.entries(own).filter(([, value]) => value !== null && value !== undefined);
  // Built from entries, because assignment would fail for a key named `__proto__`.
  return { ...fallback, ...Object.fromEntries(said) };
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));
/**
 * Converts a meta value for the wire. Null and objects become JSON strings, because the validator of Python
 * peers drops a whole list for one of them.
 */
const flat = (value: unknown): MetaValue => {
  if (isScalar(value)) return value;
  if (Array.isArray(value) && value.every((v) => isScalar(v) && typeof v === typeof value[0]))
    return value as MetaValue;
  return JSON.stringify(value ?? null);
};

/** Returns the tool in the wire format for agents; the same object for the same entry. */
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
 * Returns a fingerprint that shows whether a list changed: a 32-bit FNV-1a hash over the hashes of its items,
 * and the length. Their order does not matter.
 */
export const signatureOf = (list: readonly object[]): string =>
  digestOf(list.map(hashOfItem).toSorted().join());

/**
 * Largest nesting depth of JSON that is copied. It is more than real schemas need and far below the depth at
 * which serializing overflows the stack.
 */
const deepest = 200;

/**
 * Returns a deeply frozen copy of JSON, so that a receiver of an entry cannot change the list it came from.
 * Undefined when it is nested too deeply to be serialized again.
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
    // Built from entries, because assignment would fail for a key named `__proto__`.
    return Object.freeze(Object.fromEntries(Object.entries(inner).map(([key, each]) => [key, part(each)])));
  };
  const copy = copied(value, deepest) as T;
  return isTooDeep ? undefined : copy;
};
