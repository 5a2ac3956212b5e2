import { z } from 'zod';

/** The result of MCP's `prompts/get`: messages as the server gave them. */
export const promptResult = z.looseObject({
  description: z.string().nullish(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.looseObject({ type: z.string() }) })),
});
export type PromptResult = z.infer<typeof promptResult>;
