import { remembered } from '../kernel/objects.ts';
import type { MetaValue, SmcpTool } from '../protocol/messages/collections.ts';
import type { JsonObject, Tool, ToolAnnotations } from './entries.ts';
import { isObject, jsonIn } from '../protocol/json.ts';

export const metaKeys = ['auto_apply', 'alias', 'tags', 'ret_object_mapper'] as const;
/** Policy for one tool. Own keys are kept for the host, and not passed on to agents. */
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

/** `shown` is the name that agents see and call. */
export interface ToolEntry {
  readonly shown: string;
  readonly server: string;
  readonly bundleId: string;
  readonly tool: Tool;
  readonly meta: ToolMeta | null;
  readonly renamed?: { readonly from: string; readonly servers: readonly string[] };
}

/** At the top level only; absent or null entries fall back to the default (§3.4). */
export function mergeMeta(fallback: ToolMeta | null, own: ToolMeta | undefined): ToolMeta | null {
  if (!own) return fallback;
  if (!fallback) return own;
  const said = Object.entries(own).filter(([, value]) => value !== null && value !== undefined);
  // Built from entries, because assignment would fail for a key named `__proto__`.
  return { ...fallback, ...Object.fromEntries(said) };
}

/** Own keys are for the host alone. */
export const metaForAgents = (meta: object): ToolMeta =>
  Object.fromEntries(Object.entries(meta).filter(([key]) => metaKeys.some((known) => known === key)));

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value));
/** Null and objects become JSON, because the validator of Python peers drops a whole list for one of them. */
const flat = (value: unknown): MetaValue => {
  if (isScalar(value)) return value;
  if (Array.isArray(value) && value.every((v) => isScalar(v) && typeof v === typeof value[0]))
    return value as MetaValue;
  return JSON.stringify(value ?? null);
};

const policyKey = 'a2c_tool_meta';
const hintsKey = 'MCP_TOOL_ANNOTATION';
/** Sent by computers when a server gives none: empty or `None`, after the server's name for a renamed tool. */
const nothingSaid = /^(?:\[[^\]]*\] )?(?:None)?$/;

/** Tool with the field names of MCP, as the lists of computers and agents have it. */
export interface ListedTool {
  /** Name of the tool for `callTool`, unique within its computer. */
  readonly name: string;
  /** Title of the tool for people, from its server; not known to agents. */
  readonly title?: string;
  /** Description for models, from the server; absent when it gives none. */
  readonly description?: string;
  /** JSON Schema of the arguments, as the server declares it. */
  readonly inputSchema: object;
  /** JSON Schema of `structuredContent` in results; absent when the tool promises none. */
  readonly outputSchema?: object;
  /** Hints of the server about the behaviour of the tool. They are not reliable. */
  readonly annotations?: ToolAnnotations;
  /** Metadata of the tool from its server. An agent gets inner objects and nulls as JSON text. */
  readonly _meta?: JsonObject;
  /** Policy for the tool from the config of its computer. */
  readonly toolMeta?: ToolMeta;
}

export const listedTool = ({ shown, server, tool, meta, renamed }: ToolEntry): ListedTool => {
  const { title, description, inputSchema, outputSchema, annotations, meta: own } = tool;
  return {
    name: shown,
    ...(title !== undefined && { title }),
    ...(description && { description: renamed ? `[${server}] ${description}` : description }),
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(annotations && { annotations }),
    ...(own && { _meta: own }),
    ...(meta && { toolMeta: meta }),
  };
};

/** `more`: its bundle id, and its description where the server gives none. */
export function smcpToolOf(
  { name, description, inputSchema, outputSchema, annotations, _meta, toolMeta }: ListedTool,
  more: { readonly bundle_id?: string; readonly description?: string } = {},
): SmcpTool {
  const meta: Record<string, MetaValue> = Object.fromEntries(
    Object.entries(_meta ?? {}).map(([key, value]) => [key, flat(value)]),
  );
  if (toolMeta) {
    const { auto_apply = null, alias = null, tags = null, ret_object_mapper = null } = toolMeta;
    meta[policyKey] = JSON.stringify({ auto_apply, alias, tags, ret_object_mapper });
  }
  if (annotations) {
    const { more: others, ...hints } = annotations;
    meta[hintsKey] = JSON.stringify({ ...hints, ...others });
  }
  return {
    name,
    ...(more.bundle_id !== undefined && { bundle_id: more.bundle_id }),
    description: description ?? more.description ?? 'None',
    params_schema: inputSchema,
    return_schema: outputSchema ?? null,
    meta,
  };
}
export const toSmcpTool = remembered((entry: ToolEntry): SmcpTool => {
  const label = entry.renamed ? `[${entry.server}] ` : '';
  return smcpToolOf(listedTool(entry), { bundle_id: entry.bundleId, description: `${label}None` });
});

const objectIn = (text: unknown): JsonObject | undefined => {
  const value = typeof text === 'string' && jsonIn(text);
  return isObject(value) ? value : undefined;
};
const hintsIn = (given: JsonObject): ToolAnnotations => {
  const hints: Record<string, unknown> = {};
  const more: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const isKnown =
      key === 'title' ? typeof value === 'string' : knownHints.has(key) && typeof value === 'boolean';
    if (isKnown) hints[key] = value;
    else if (value !== null) Object.defineProperty(more, key, { value, enumerable: true });
  }
  return { ...hints, ...(Object.keys(more).length > 0 && { more }) };
};
const knownHints: ReadonlySet<string> = new Set([
  ...['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'],
]);
const withoutNulls = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
/** Text that is no JSON stays in `_meta`. */
export function listedFrom({ name, description, params_schema, return_schema, meta }: SmcpTool): ListedTool {
  const { [policyKey]: policyText, [hintsKey]: hintsText, ...others } = meta ?? {};
  const policy = objectIn(policyText);
  const hints = objectIn(hintsText);
  const own = {
    ...others,
    ...(!policy && policyText !== undefined && { [policyKey]: policyText }),
    ...(!hints && hintsText !== undefined && { [hintsKey]: hintsText }),
  };
  return {
    name,
    ...(!nothingSaid.test(description) && { description }),
    inputSchema: params_schema,
    ...(return_schema && { outputSchema: return_schema }),
    ...(hints && { annotations: hintsIn(hints) }),
    ...(Object.keys(own).length > 0 && { _meta: own }),
    ...(policy && { toolMeta: withoutNulls(policy) }),
  };
}

/** More than real schemas need, and far below the depth at which serializing overflows the stack. */
const deepest = 200;

/** Frozen, so that a receiver cannot change the list. Undefined when nested too deeply to be serialized. */
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

/** Suggested to a person; the key is the tool's original name. */
export const aliasLine = (tool: string, alias: string): string =>
  `"tool_meta": {${JSON.stringify(tool)}: {"alias": ${JSON.stringify(alias)}}}`;
