import type { SkillFile as ReadFile } from '../../machines/skills/skills.rules.ts';
import type { ReadOptions } from './agent-handle.ts';
import type { Skill, SkillFile } from './computer-handle.ts';
import { questionError } from './call-outcome.ts';
import { type Read } from '../../machines/protocol/messages/lists.ts';
import type { SkillRef } from '../../machines/protocol/messages/collections.ts';

/** Resolves with the raw ack and the `req_id` that the ack has to repeat; rejects when no ack comes. */
export type AskComputer = (
  method: string,
  request: object,
  options: ReadOptions,
) => Promise<{ readonly ack: unknown; readonly reqId: string }>;

export function skillOf(computer: string, ref: SkillRef): Skill {
  const { name, source, path, description, license, compatibility, tags, version } = ref;
  const { allowed_tools: allowedTools, skill_metadata: metadata } = ref;
  return Object.freeze({
    ...{ computer, name, source, path, description },
    ...(license && { license }),
    ...(compatibility && { compatibility }),
    ...(allowedTools && { allowedTools }),
    ...(tags && { tags }),
    ...(version && { version }),
    ...(metadata && { metadata }),
  });
}
export const skillFileOf = (file: ReadFile): SkillFile => ({
  path: file.rel_path,
  mimeType: file.mime_type,
  bytes: file.total_size,
  sha256: file.sha256,
  text: file.body ?? null,
  blobHandle: file.blob_handle ?? null,
  files: file.a2c_files ?? null,
});
export function bodyOf<T>(read: Read<T>, reqId: string): T {
  if (read.ok) return read.body;
  throw questionError(read.failure, reqId);
}
