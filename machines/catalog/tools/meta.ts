import { fnv, fnvBasis } from '../../kernel/fnv.ts';
import { remembered } from '../../kernel/objects.ts';
import { contentHash } from './content-hash.ts';
import type { MetaValue, SmcpTool } from '../../protocol/messages/collections.ts';
import type { ToolEntry, ToolMeta } from './tool.ts';

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
