/** The lists of an MCP server that can change by themselves. Templates of resources change with the resources. */
export type ListKind = 'tools' | 'resources' | 'prompts';
/** The two systems that a computer makes of the resources of its servers (seeds 000 and 001). */
export type ResourceCollection = 'desktop' | 'finder';
