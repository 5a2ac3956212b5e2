import { installed } from './hosts.ts';

const npm = {
  '@ai-sdk/mcp': '1.0.102',
  '@langchain/anthropic': '1.5.11',
  '@langchain/core': '1.4.0',
  '@langchain/mcp-adapters': '1.1.4',
  '@modelcontextprotocol/client': '2.4.0',
  '@modelcontextprotocol/sdk': '1.32.2',
  '@openai/agents': '0.20.0',
  langchain: '1.5.14',
  'mcp-use': '1.34.6',
  zod: '4.6.7',
};

export async function installedClients(): Promise<{ readonly folder: string } | { readonly why: string }> {
  try {
    return { folder: await installed({ npm }) };
  } catch (error) {
    return { why: `the clients cannot be installed from npm: ${String(error).slice(0, 200)}` };
  }
}
