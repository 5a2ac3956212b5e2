import { McpServer } from '@modelcontextprotocol/server';
import { addResources } from './resources/session.ts';
import type { Shared } from './resources/shared.ts';
import { addListFiles } from './tools/list-tool.ts';
import { addOpen } from './tools/open-tool.ts';
import { addReadFile } from './tools/read-tool.ts';
import { addSearchFiles } from './tools/search-tool.ts';
import { addSearch } from './tools/words-tool.ts';

/**
 * One session of the project's own MCP server over folders: their files as `dpe://` documents with pages and elements,
 * a few `window://` windows, and tools. It only reads. Whatever cannot be answered is an error with a sentence; none names
 * a path outside the folders.
 */
export const createDocumentsServer = (shared: Shared): McpServer => {
  const server = new McpServer(
    { name: 'documents', title: 'Documents', version: '0.1.0' },
    {
      instructions:
        'Read-only access to the files of some folders. Documents are resources: dpe://HOST/DOC_REF, its pages, its ' +
        'elements; search finds them. list_files, search_files and read_file work on text files, whatever their format; ' +
        'their paths are relative, with / between names.',
    },
  );
  const { folders } = shared.library;
  addListFiles(server, folders);
  addReadFile(server, folders);
  addSearchFiles(server, folders);
  addSearch(server, shared);
  addOpen(server, shared);
  addResources(server, shared);
  return server;
};
