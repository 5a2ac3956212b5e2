export {
  changesOf,
  differing,
  emptyHistory,
  lastChangeOf,
  remember,
  type Changes,
  type History,
  type LastChange,
} from './changes.ts';
export { contentHash } from './tools/content-hash.ts';
export type {
  Annotations,
  Icon,
  JsonObject,
  Kept,
  ListChange,
  ListKind,
  Lists,
  LogEntry,
  Described,
  Prompt,
  PromptArgument,
  Resource,
  ResourceTemplate,
  Tool,
  ToolAnnotations,
  ToolExecution,
} from './entries.ts';
export { frozenJson } from './tools/frozen.ts';
export { mergeMeta, signatureOf, toSmcpTool } from './tools/meta.ts';
export type { ToolEntry, ToolMeta } from './tools/tool.ts';
export {
  buildTable,
  emptyTable,
  findTool,
  isDenied,
  offeredTools,
  unresolved,
  type AbsentServer,
} from './tools/tools.ts';
export type { ToolTable } from './tools/tools.ts';
export { aliasLine, isUsable, type OnConflict, type RefusedTool, type ToolRules } from './tools/offers.ts';
export { catalogLists, isNoChange, keyOfEntry, type CatalogList, type Entry } from './list.ts';
