import type { SkillFile as ReadFile } from '../../machines/skills/skills.rules.ts';
import type { ReadOptions } from './agent-handle.ts';
import type { Skill, SkillFile } from './computer-handle.ts';
import { type Read } from '../../machines/protocol/messages/lists.ts';
import type { SkillRef } from '../../machines/protocol/messages/collections.ts';

/** Resolves with what `read` takes from the ack; rejects when no ack comes, and with the failure that it holds. */
export type AskComputer = <Body>(
  method: string,
  request: object,
  options: ReadOptions,
  read: (ack: unknown, reqId: string) => Read<Body>,
) => Promise<Body>;

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
