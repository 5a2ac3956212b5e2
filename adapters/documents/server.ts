import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { addListFiles } from './list-tool.ts';
import { addReadFile } from './read-tool.ts';
import { addSearchFiles } from './search-tool.ts';

/**
 * The project's own MCP server over one folder of text: `list_files`, `read_file`, `search_files`. Only reads.
 * Whatever cannot be answered is a result with `isError` and a sentence; it never names a path outside `root`.
 */
export const createDocumentsServer = (root: string): McpServer => {
  const server = new McpServer(
    { name: 'documents', title: 'Documents', version: '0.1.0' },
    {
      instructions:
        'Read-only access to the text files of one folder. All paths are relative to it, with / between names. ' +
        'Find files with list_files or search_files, then read them with read_file.',
    },
  );
  addListFiles(server, root);
  addReadFile(server, root);
  addSearchFiles(server, root);
  return server;
};
