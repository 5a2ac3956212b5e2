export { mergeMeta, signatureOf, toSmcpTool } from './meta.ts';
export type { McpTool, ToolEntry, ToolMeta } from './tool.ts';
export { buildTable, emptyTable, findTool, offeredTools, unresolved } from './tools.ts';
export type { RefusedTool, ToolRules, ToolTable } from './tools.ts';
export { catalogLists, changesOf, isNoChange, keyOfEntry, remember } from './changes.ts';
export type { CatalogList, Changes, Entry, History } from './changes.ts';
