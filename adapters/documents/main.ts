import { stat } from 'node:fs/promises';
import process from 'node:process';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createDocumentsServer } from './server.ts';

/** `node main.js ROOT`: the documents server over stdio. stdout carries JSON-RPC and nothing else. */
const wrongUsage = 64;
/** Answers under way may still be written after stdin ended; shorter than the host's `stdinGraceMs`. */
const lastWordsMs = 300;

const refuse = (message: string): never => {
  process.stderr.write(`documents: ${message}\n`);
  process.exit(wrongUsage);
};

const [root, ...rest] = process.argv.slice(2);
if (root === undefined || root === '' || rest.length > 0) refuse('usage: node main.js ROOT');
else {
  const facts = await stat(root).catch(() => undefined);
  if (!facts?.isDirectory()) refuse(`${root} is not a folder`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
  process.stdin.once('end', () => setTimeout(() => process.exit(0), lastWordsMs).unref());
  // The reader is gone: there is nobody left to answer.
  process.stdout.on('error', () => process.exit(0));
  await createDocumentsServer(root).connect(new StdioServerTransport());
}
