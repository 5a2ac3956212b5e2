import type { z } from 'zod';
import { getBlob, getBlobReply, putBlob, putBlobReply } from './messages/blobs.ts';
import * as asked from './messages/collections.ts';
import { getTools } from './messages/messages.ts';

interface Row {
  readonly event: `client:${string}`;
  readonly schema: z.ZodObject;
  readonly reply: z.ZodObject;
}
/**
 * Questions of an agent to a computer, which an office relays. Event names, the rules of the relay, socket types and
 * the test of docs/wire.md derive from it (docs/recipes.md: how to add one).
 */
export const questions = {
  getTools: { event: 'client:get_tools', schema: getTools, reply: asked.getToolsReply },
  /** Servers and inputs, with unfilled placeholders and hidden secrets. */
  getConfig: { event: 'client:get_config', schema: asked.getConfig, reply: asked.getConfigReply },
  getDesktop: { event: 'client:get_desktop', schema: asked.getDesktop, reply: asked.getDesktopReply },
  getFinder: { event: 'client:get_finder', schema: asked.getFinder, reply: asked.getFinderReply },
  /** Reads one window, document, page or element: an extension of ours, because the draft has no event for that. */
  readResource: { event: 'client:read_resource', schema: asked.readResource, reply: asked.readResourceReply },
  getResources: { event: 'client:get_resources', schema: asked.getResources, reply: asked.getResourcesReply },
  getSkills: { event: 'client:get_skills', schema: asked.getSkills, reply: asked.getSkillsReply },
  getSkill: { event: 'client:get_skill', schema: asked.getSkill, reply: asked.getSkillReply },
  /** Reads a part of a large content. This event and the next belong to versions 0.3 and 0.4. */
  getBlob: { event: 'client:get_blob', schema: getBlob, reply: getBlobReply },
  /** Writes a part of a file to a computer. */
  putBlob: { event: 'client:put_blob', schema: putBlob, reply: putBlobReply },
} as const satisfies Readonly<Record<string, Row>>;

type Rows = typeof questions;
export type QuestionName = keyof Rows;
export const questionEvents = Object.fromEntries(
  Object.entries(questions).map(([name, { event }]) => [name, event]),
) as { readonly [Name in QuestionName]: Rows[Name]['event'] };
