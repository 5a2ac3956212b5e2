import type { CallToolResult } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { limits } from '../../../machines/documents/index.ts';
import { Refusal } from '../files/place.ts';

/** All three tools only read, and only this folder. */
export const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

export const path = z.string().max(4096);
export const pattern = z
  .string()
  .min(1)
  .max(limits.wordChars)
  .describe(
    'Simple glob, relative to path: * and ? within a name, ** over folders, {a,b} for either. Without a / it tests the file name at any depth, like "*.md".',
  );
export const limit = z.int().min(1).describe(`At most this many, and never more than ${limits.results}.`);
export const count = z.int().min(0);
export const truncated = z.boolean().describe('Something is missing; note says what and how to get it.');
export const note = z.string().optional();

/** The facts for programs, the text for models. */
export const result = (
  facts: Record<string, unknown>,
  text: string,
  advice: string | undefined,
): CallToolResult => ({
  content: [
    { type: 'text', text },
    // A block of its own, so that the text of a file stays what the file holds.
    ...(advice === undefined ? [] : [{ type: 'text' as const, text: advice }]),
  ],
  structuredContent: {
    ...facts,
    truncated: advice !== undefined,
    ...(advice === undefined ? {} : { note: advice }),
  },
});

/** A refusal becomes a result with `isError`; anything else is said without its details, which may name paths. */
export const answered = async (answer: () => Promise<CallToolResult>): Promise<CallToolResult> => {
  try {
    return await answer();
  } catch (error) {
    const text = error instanceof Refusal ? error.message : 'the question could not be answered';
    return { isError: true, content: [{ type: 'text', text }] };
  }
};
