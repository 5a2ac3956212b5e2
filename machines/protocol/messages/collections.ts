/** Messages for tools, configs, Desktop, Finder, resources and skills of a computer. */
import { z } from 'zod';
import { isObject } from '../json.ts';
import { computerQuestion, replyFields, fresh, record, smcpTool, wholeNumber } from './messages.ts';

/** Value in the metadata of a tool; deeper values are written as JSON text. */
export type MetaValue = string | number | boolean | readonly (string | number | boolean)[];
/** Tool as `client:get_tools` shows it (§3.5). */
export interface SmcpTool {
  /** Name of the tool for `client:tool_call`, unique within the computer. */
  readonly name: string;
  /** Id of the server that provides the tool, a term of 0.3 and later: letters, digits, `_` and `-`. */
  readonly bundle_id?: string;
  /** Description for models; `None` when the server gives none. */
  readonly description: string;
  /** JSON Schema of the parameters, as the server provides it. */
  readonly params_schema: object;
  /** JSON Schema of `structuredContent` in results; null when the tool promises none. */
  readonly return_schema: object | null;
  /** Metadata from the config and the server, such as `a2c_tool_meta` and `MCP_TOOL_ANNOTATION`. */
  readonly meta: Readonly<Record<string, MetaValue>>;
}

/**
 * Schema of a part that is missing in the answer to `client:get_desktop` or `client:get_finder`, with the reason: an
 * extension of ours.
 */
export const missingPart = z.looseObject({
  server: z.string(),
  reason: z.string(),
  uri: z.string().nullish(),
});

/** Server whose data could not be read completely, and the reason; the rest of its data is in the answer. */
export interface Missing {
  /** Name of the server in the config of the computer; `(not named)` when a computer of another make gives none. */
  readonly server: string;
  /** Reason why the data is missing, in a sentence for a person. */
  readonly reason: string;
  /** URI of the one window or document that is missing; absent when the server as a whole is meant. */
  readonly uri?: string;
}

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
 * Reply to `client:get_tools`: all callable tools of the computer, with unique names. `missing` is our extension.
 */
export const getToolsReply = z.looseObject({
  tools: z.array(smcpTool),
  missing: z.array(missingPart).nullish(),
  ...replyFields,
});
export type GetToolsReply = z.infer<typeof getToolsReply>;

/**
 * Question `client:get_desktop`, answered with `GetDesktopReply`. `desktop_size` is the largest number of
 * windows wanted, 0 or less for none; `window` is the URI of the one wanted window. `fresh` is our extension.
 */
export const getDesktop = z.looseObject({
  ...computerQuestion,
  desktop_size: wholeNumber.nullish(),
  window: z.string().nullish(),
  fresh,
});
export type GetDesktop = z.infer<typeof getDesktop>;

/** Reply to `client:get_desktop`. Each window is one text: its URI, an empty line, its content. */
export const getDesktopReply = z.looseObject({
  desktops: z.array(z.string()),
  missing: z.array(missingPart).nullish(),
  ...replyFields,
});
export type GetDesktopReply = z.infer<typeof getDesktopReply>;

/**
 * Question `client:get_finder`, answered with `GetFinderReply`. `offset` defaults to 0, `limit` to 20; a
 * limit above 100 counts as 100. `fresh` is our extension.
 */
export const getFinder = z.looseObject({
  ...computerQuestion,
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

/** Document as its own server describes it, a read of Level 1. `last_modified` is ISO 8601. */
export const dpeDocumentMetadata = z.looseObject(document);
export type DPEDocumentMetadata = z.infer<typeof dpeDocumentMetadata>;

/**
 * Document in the catalogue of a computer: the description from its server, and `server`, the name of that MCP
 * server.
 */
export const dpeDocumentSummary = z.looseObject({ ...document, server: z.string() });
export type DPEDocumentSummary = z.infer<typeof dpeDocumentSummary>;

/** Reply to `client:get_finder`. `total_count` counts the documents after filtering and before paging. */
export const getFinderReply = z.looseObject({
  documents: z.array(dpeDocumentSummary),
  total_count: z.int().nonnegative(),
  missing: z.array(missingPart).nullish(),
  ...replyFields,
});
export type GetFinderReply = z.infer<typeof getFinderReply>;

/** Page of a document, as listed by a read of Level 1 with `depth=pages`. `page_index` counts from 0. */
export const dpePageSummary = z.looseObject({
  page_index: z.int().nonnegative(),
  title: z.string(),
  element_count: z.int().nonnegative(),
  uri: z.string(),
  doc_ref: z.string().nullish(),
});
export type DPEPageSummary = z.infer<typeof dpePageSummary>;

/** Element of a document page, as returned by a `dpe://` read of Level 3. */
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

/** Documents of one host, as returned by a `dpe://` read of Level 0. */
export const dpeCatalogue = z.looseObject({
  documents: z.array(z.unknown()),
  total_count: z.int().nonnegative(),
});
export type DPECatalogue = z.infer<typeof dpeCatalogue>;

/** Document with a part of its pages, a read of Level 1 with `depth=pages`; `page_total` counts all pages. */
export const dpeDocumentPages = z.looseObject({
  ...document,
  pages: z.array(dpePageSummary),
  /** Absent at some servers, like the two that follow; our agent fills them in from its question and `page_count`. */
  page_offset: z.int().nonnegative().nullish(),
  page_limit: z.int().nonnegative().nullish(),
  page_total: z.int().nonnegative().nullish(),
});
/** Document with a page of its pages; what the server left out of `page_offset` and its like is filled in. */
export type DPEDocumentPages = z.infer<typeof dpeDocumentPages> & {
  readonly page_offset: number;
  readonly page_limit: number;
  readonly page_total: number;
};

/** Document page with its elements, as returned by a `dpe://` read of Level 2. */
export const dpePage = z.looseObject({
  page_index: z.int().nonnegative(),
  title: z.string(),
  doc_ref: z.string().nullish(),
  uri: z.string(),
  elements: z.array(dpeElementDetail),
  element_count: z.int().nonnegative(),
});
/** Document page, with the `doc_ref` that was asked for where the server left it out. */
export type DPEPage = z.infer<typeof dpePage> & { readonly doc_ref: string };

/**
 * Question `client:read_resource`, answered with `ReadResourceReply`: an extension of ours,
 * because the protocol lets an agent read `dpe://` through its computer but has no event for it. A peer that does not
 * know it acknowledges with 501 or nothing.
 */
export const readResource = z.looseObject({
  ...computerQuestion,
  uri: z.string().min(1),
  server: z.string().nullish(),
});
export type ReadResource = z.infer<typeof readResource>;

/** Contents of a resource, as in MCP's `resources/read`: text or base64. */
export const resourceContents = z.looseObject({
  uri: z.string(),
  mimeType: z.string().nullish(),
  text: z.string().nullish(),
  blob: z.string().nullish(),
  _meta: record.nullish(),
});
export type ResourceContents = z.infer<typeof resourceContents>;

export const resourceResult = z.looseObject({ contents: z.array(resourceContents) });

/**
 * Reply to `client:read_resource`: the contents as the server gave them; several when one URI covers several
 * resources.
 */
export const readResourceReply = z.looseObject({ contents: z.array(resourceContents), ...replyFields });
export type ReadResourceReply = z.infer<typeof readResourceReply>;

export const promptResult = z.looseObject({
  description: z.string().nullish(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.looseObject({ type: z.string() }) })),
});
export type PromptResult = z.infer<typeof promptResult>;

/**
 * Question `client:get_resources`, a term of 0.2 and later: one page of the resources that a server lists.
 * `mcp_server` is the bundle id of the server; our computer also takes its name. `cursor` is the `next_cursor` of the
 * page before, and absent for the first page.
 */
export const getResources = z.looseObject({
  ...computerQuestion,
  mcp_server: z.string().min(1),
  cursor: z.string().nullish(),
});
export type GetResources = z.infer<typeof getResources>;

/** Resource as `client:get_resources` shows it: the fields of MCP in snake case. */
export const shownResource = z.looseObject({
  uri: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  mime_type: z.string().nullish(),
  size: z.number().nullish(),
  annotations: record.nullish(),
  _meta: record.nullish(),
});
export type ShownResource = z.infer<typeof shownResource>;

/** Reply to `client:get_resources`. The last page has no `next_cursor`. */
export const getResourcesReply = z.looseObject({
  resources: z.array(shownResource),
  next_cursor: z.string().nullish(),
  ...replyFields,
});
export type GetResourcesReply = z.infer<typeof getResourcesReply>;

/** Question `client:get_config`, answered with `GetConfigReply`. */
export const getConfig = z.looseObject({ ...computerQuestion });
export type GetConfig = z.infer<typeof getConfig>;

/**
 * Server as its computer shows it: current config with unfilled placeholders. Computers of other makes may have other
 * types and keys.
 */
export const shownServer = z.looseObject({ type: z.string(), server_parameters: record.nullish() });
export type ShownServer = z.infer<typeof shownServer>;

/** Value that servers request as `${input:id}`; passwords come without their default. */
export const shownInput = z.looseObject({ type: z.string(), id: z.string() });
export type ShownInput = z.infer<typeof shownInput>;

const protocolTypes: ReadonlySet<unknown> = new Set(['stdio', 'sse', 'streamable']);
const labelled = (input: unknown): unknown =>
  isObject(input) && Array.isArray(input['options'])
    ? { ...input, options: input['options'].map((value: unknown) => ({ label: value, value })) }
    : input;
/** From 0.3 on, Python offices drop the whole answer for one unknown type, or one choice without a label. */
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

/** Reply to `client:get_config`: the only reply of the protocol without a `req_id`. */
export const getConfigReply = z.looseObject({
  servers: z.record(z.string(), shownServer),
  inputs: z.array(shownInput).nullish(),
});
export type GetConfigReply = z.infer<typeof getConfigReply>;

/** Question `client:get_skills`, answered with `GetSkillsReply`. */
export const getSkills = z.looseObject({ ...computerQuestion });
export type GetSkills = z.infer<typeof getSkills>;

/**
 * Skill as its computer lists it. `name` is unique on the computer; `source` says where the skill comes from, such as
 * `user` or `mcp:BUNDLE`; `path` is its folder on the computer, empty for a skill of a server of ours. The rest comes from the frontmatter of `SKILL.md`.
 */
export const skillRef = z.looseObject({
  name: z.string().min(1),
  source: z.string(),
  path: z.string(),
  description: z.string(),
  uri: z.string().nullish(),
  license: z.string().nullish(),
  compatibility: z.string().nullish(),
  allowed_tools: z.array(z.string()).nullish(),
  tags: z.array(z.string()).nullish(),
  version: z.string().nullish(),
  skill_metadata: record.nullish(),
});
export type SkillRef = z.infer<typeof skillRef>;

/** Reply to `client:get_skills`: all skills of the computer, without their texts. */
export const getSkillsReply = z.looseObject({ skills: z.array(skillRef), ...replyFields });
export type GetSkillsReply = z.infer<typeof getSkillsReply>;

/**
 * Question `client:get_skill` for one file of a skill, answered with `GetSkillReply`. `rel_path` is relative to the
 * folder of the skill, with `/` between its parts; by default it is `SKILL.md`.
 */
export const getSkill = z.looseObject({
  ...computerQuestion,
  name: z.string(),
  rel_path: z.string().nullish(),
});
export type GetSkill = z.infer<typeof getSkill>;

/**
 * Reply to `client:get_skill`: the text of the file as `body`, or a handle for `client:get_blob`. `SKILL.md` comes
 * without its frontmatter. `total_size` in bytes and `sha256` (hexadecimal) are those of what is sent. `a2c_files`, an
 * extension of ours: with `SKILL.md` the paths of the other files, absent when they are too many.
 */
export const getSkillReply = z.looseObject({
  name: z.string(),
  rel_path: z.string(),
  mime_type: z.string(),
  total_size: z.int().nonnegative(),
  sha256: z.string(),
  body: z.string().nullish(),
  blob_handle: z.string().nullish(),
  a2c_files: z.array(z.string()).optional().catch(undefined),
  ...replyFields,
});
export type GetSkillReply = z.infer<typeof getSkillReply>;
