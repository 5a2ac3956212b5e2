/** Collections that a computer shows: tools, Desktop, Finder, resources, prompts, config. */
import { z } from 'zod';
import { answered, asked, fresh, record, wholeNumber } from './messages.ts';
import { isObject } from '../json.ts';

/** Value in the meta of a tool; deeper ones are written as JSON text. */
export type MetaValue = string | number | boolean | readonly (string | number | boolean)[];
/** A tool as `client:get_tools` shows it (§3.5). */
export interface SmcpTool {
  /** Name for `client:tool_call`, unique in its computer. */
  readonly name: string;
  /** The server that has it, in the words of 0.3 and later: letters, digits, `_` and `-`. */
  readonly bundle_id?: string;
  /** Description for models; `None` where the server gives none. */
  readonly description: string;
  /** JSON Schema of its parameters, as its server has it. */
  readonly params_schema: object;
  /** JSON Schema of `structuredContent` in its results; null: it promises none. */
  readonly return_schema: object | null;
  /** Meta from its config and its server, such as `a2c_tool_meta` and `MCP_TOOL_ANNOTATION`. */
  readonly meta: Readonly<Record<string, MetaValue>>;
}

/** Our extension to the answers of `client:get_desktop` and `client:get_finder`: what is not in them, and why. */
export const missingPart = z.looseObject({
  server: z.string(),
  reason: z.string(),
  uri: z.string().nullish(),
});

/** A server of which not all could be had, and why: its part of the answer is what there is. */
export interface Missing {
  /** Name of the server in the config of the computer; `(not named)` where a stranger gives none. */
  readonly server: string;
  /** Why it is missing, in a sentence for a person. */
  readonly reason: string;
  /** The one window or document that is meant; without it the server as a whole. */
  readonly uri?: string;
}

/** Missing parts as a stranger tells them; entries that are not readable are passed over. */
export const readMissing = (value: unknown): readonly Missing[] =>
  Array.isArray(value)
    ? value.flatMap((entry): Missing[] => {
        const { data } = missingPart.safeParse(entry);
        if (!data) return [];
        const { server, reason, uri } = data;
        return [{ server, reason, ...(typeof uri === 'string' && { uri }) }];
      })
    : [];

/**
 * `client:get_desktop` → `GetDesktopReply` (seed 001). `desktop_size` is the most windows that are wanted, 0 or less
 * wants none; `window` is the URI of the one window that is wanted. `fresh` is ours.
 */
export const getDesktop = z.looseObject({
  ...asked,
  desktop_size: wholeNumber.nullish(),
  window: z.string().nullish(),
  fresh,
});
export type GetDesktop = z.infer<typeof getDesktop>;

/** Each window is one text: its URI, an empty line, what it shows. */
export const getDesktopReply = z.looseObject({
  desktops: z.array(z.string()),
  missing: z.array(missingPart).nullish(),
  ...answered,
});
export type GetDesktopReply = z.infer<typeof getDesktopReply>;

/**
 * `client:get_finder` → `GetFinderReply` (seed 000). Absent `offset` is 0, absent `limit` is 20; a limit above 100
 * counts as 100. `fresh` is ours.
 */
export const getFinder = z.looseObject({
  ...asked,
  keywords: z.array(z.string()).nullish(),
  file_type: z.string().nullish(),
  offset: wholeNumber.nullish(),
  limit: wholeNumber.nullish(),
  fresh,
});
export type GetFinder = z.infer<typeof getFinder>;

const document = {
  doc_ref: z.string(),
  uri: z.string(),
  file_uri: z.string(),
  file_type: z.string(),
  title: z.string(),
  page_count: z.int(),
  keywords: z.array(z.string()).nullish(),
  summary: z.string().nullish(),
  last_modified: z.string().nullish(),
};

/** A document as its own server tells it, a read of Level 1. `last_modified` is ISO 8601. */
export const dpeDocumentMetadata = z.looseObject(document);
export type DPEDocumentMetadata = z.infer<typeof dpeDocumentMetadata>;

/** One document of a computer's catalogue: what its server tells, and `server`, the MCP server that has it. */
export const dpeDocumentSummary = z.looseObject({ ...document, server: z.string() });
export type DPEDocumentSummary = z.infer<typeof dpeDocumentSummary>;

/** `total_count` counts after filtering and before paging. */
export const getFinderReply = z.looseObject({
  documents: z.array(dpeDocumentSummary),
  total_count: z.int().nonnegative(),
  missing: z.array(missingPart).nullish(),
  ...answered,
});
export type GetFinderReply = z.infer<typeof getFinderReply>;

/** One page of a document, as a read of Level 1 with `depth=pages` lists it. `page_index` counts from 0. */
export const dpePageSummary = z.looseObject({
  page_index: z.int().nonnegative(),
  title: z.string(),
  element_count: z.int().nonnegative(),
  uri: z.string(),
  doc_ref: z.string().nullish(),
});
export type DPEPageSummary = z.infer<typeof dpePageSummary>;

/** One element of a page, as a read of Level 3 shows it. */
export const dpeElementDetail = z.looseObject({
  element_id: z.string(),
  category: z.string(),
  summary: z.string().nullish(),
  content: record,
  doc_ref: z.string().nullish(),
  page_index: z.int().nonnegative().nullish(),
  uri: z.string().nullish(),
  metadata: record.nullish(),
});
export type DPEElementDetail = z.infer<typeof dpeElementDetail>;

/** The documents of one host, a read of Level 0. */
export const dpeCatalogue = z.looseObject({
  documents: z.array(z.unknown()),
  total_count: z.int().nonnegative(),
});
export type DPECatalogue = z.infer<typeof dpeCatalogue>;

/** A document with a part of its pages, a read of Level 1 with `depth=pages`; `page_total` counts all of them. */
export const dpeDocumentPages = z.looseObject({
  ...document,
  pages: z.array(dpePageSummary),
  page_offset: z.int().nonnegative(),
  page_limit: z.int().nonnegative(),
  page_total: z.int().nonnegative(),
});
export type DPEDocumentPages = z.infer<typeof dpeDocumentPages>;

/** One page with its elements, a read of Level 2. */
export const dpePage = z.looseObject({
  page_index: z.int().nonnegative(),
  title: z.string(),
  doc_ref: z.string(),
  uri: z.string(),
  elements: z.array(dpeElementDetail),
  element_count: z.int().nonnegative(),
});
export type DPEPage = z.infer<typeof dpePage>;

/**
 * `client:read_resource` → `ReadResourceReply`: an extension of ours (a2c-wire §9 X23 b). The seeds let an agent read
 * `dpe://` through its computer but have no event for it; a peer that does not know it acks 501 or nothing.
 */
export const readResource = z.looseObject({ ...asked, uri: z.string().min(1), server: z.string().nullish() });
export type ReadResource = z.infer<typeof readResource>;

/** The contents of MCP's `resources/read`: text or base64 per item. */
export const resourceContents = z.looseObject({
  uri: z.string(),
  mimeType: z.string().nullish(),
  text: z.string().nullish(),
  blob: z.string().nullish(),
  _meta: record.nullish(),
});
export type ResourceContents = z.infer<typeof resourceContents>;

/** The result of MCP's `resources/read`. */
export const resourceResult = z.looseObject({ contents: z.array(resourceContents) });

/**
 * The ack of `client:read_resource`: the contents as the server gave them. Several, where one URI stands for several.
 */
export const readResourceReply = z.looseObject({ contents: z.array(resourceContents), ...answered });
export type ReadResourceReply = z.infer<typeof readResourceReply>;

/** The result of MCP's `prompts/get`: messages as the server gave them. */
export const promptResult = z.looseObject({
  description: z.string().nullish(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.looseObject({ type: z.string() }) })),
});
export type PromptResult = z.infer<typeof promptResult>;

/** `client:get_config` → `GetConfigReply`. */
export const getConfig = z.looseObject({ ...asked });
export type GetConfig = z.infer<typeof getConfig>;

/** One server as its computer shows it: current, with its placeholders. Other computers know other types and keys. */
export const shownServer = z.looseObject({ type: z.string(), server_parameters: record.nullish() });
export type ShownServer = z.infer<typeof shownServer>;

/** A value that servers ask for as `${input:id}`; passwords come without their default. */
export const shownInput = z.looseObject({ type: z.string(), id: z.string() });
export type ShownInput = z.infer<typeof shownInput>;

const protocolTypes: ReadonlySet<unknown> = new Set(['stdio', 'sse', 'streamable']);
const labelled = (input: unknown): unknown =>
  isObject(input) && Array.isArray(input['options'])
    ? { ...input, options: input['options'].map((value: unknown) => ({ label: value, value })) }
    : input;
/**
 * The body as an office of this version lets it pass. From 0.3 on Python offices drop the whole answer for one server of a
 * type that is not the protocol's, or one choice without a label.
 */
export function configAs(version: string, config: object): object {
  const minor = Number(version.split('.')[1]);
  const { servers, inputs } = config as { readonly servers?: unknown; readonly inputs?: unknown };
  if (!(minor >= 3) || !isObject(servers)) return config;
  const kept = Object.entries(servers).filter(
    ([, server]) => isObject(server) && protocolTypes.has(server['type']),
  );
  const shown = Array.isArray(inputs) ? inputs.map(labelled) : inputs;
  return { ...config, servers: Object.fromEntries(kept), inputs: shown };
}

/** The one reply of the protocol without a `req_id` (a2c-wire §1.9). */
export const getConfigReply = z.looseObject({
  servers: z.record(z.string(), shownServer),
  inputs: z.array(shownInput).nullish(),
});
export type GetConfigReply = z.infer<typeof getConfigReply>;
