/** MCP servers as their authors publish them on npm, and what each needs to start without an account or a network. */
export interface PublishedServer {
  readonly package: string;
  readonly version: string;
  /** Which of its commands; default: the first. */
  readonly bin?: string;
  /** `{folder}` is an empty folder. */
  readonly args?: readonly string[];
  /** Keys of no account: enough to be asked for tools. */
  readonly env?: Readonly<Record<string, string>>;
}

export const publishedServers: readonly PublishedServer[] = [
  { package: '@modelcontextprotocol/server-everything', version: '2026.8.31' },
  { package: '@modelcontextprotocol/server-filesystem', version: '2026.8.31', args: ['{folder}'] },
  { package: '@modelcontextprotocol/server-memory', version: '2026.8.31' },
  { package: '@modelcontextprotocol/server-sequential-thinking', version: '2026.8.31' },
  { package: '@modelcontextprotocol/server-github', version: '2025.4.8' },
  { package: '@playwright/mcp', version: '0.0.83' },
  { package: 'chrome-devtools-mcp', version: '1.11.0', args: ['--no-usage-statistics'] },
  { package: '@upstash/context7-mcp', version: '4.1.1' },
  { package: '@notionhq/notion-mcp-server', version: '2.5.2', env: { NOTION_TOKEN: 'ntn_none' } },
  { package: 'firecrawl-mcp', version: '3.26.0', env: { FIRECRAWL_API_KEY: 'fc-none' } },
  { package: 'tavily-mcp', version: '0.2.22', env: { TAVILY_API_KEY: 'none' } },
  { package: 'airtable-mcp-server', version: '1.14.0', env: { AIRTABLE_API_KEY: 'pat.none' } },
  { package: '@zereight/mcp-gitlab', version: '2.1.64', env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'none' } },
  { package: 'mcp-server-kubernetes', version: '4.1.7' },
  {
    package: 'mongodb-mcp-server',
    version: '3.0.4',
    args: ['--readOnly'],
    env: { MDB_MCP_TELEMETRY: 'disabled' },
  },
  { package: 'exa-mcp-server', version: '3.4.1', env: { EXA_API_KEY: 'none' } },
  { package: '@currents/mcp', version: '2.1.1', env: { CURRENTS_API_KEY: 'none' } },
  { package: 'figma-developer-mcp', version: '0.13.2', args: ['--stdio', '--figma-api-key=none'] },
];
