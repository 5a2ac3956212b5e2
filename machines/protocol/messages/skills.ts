/** Messages about the skills of a computer, terms of 0.2 and later. */
import { z } from 'zod';
import { answered, asked, record } from './messages.ts';

/** Question `client:get_skills`, answered with `GetSkillsReply`. */
export const getSkills = z.looseObject({ ...asked });
export type GetSkills = z.infer<typeof getSkills>;

/**
 * Skill as its computer lists it. `name` is unique on the computer; `source` says where the skill comes from, such as
 * `user` or `mcp:BUNDLE`; `path` is its folder on the computer, empty for a skill of a server of ours. The rest comes from the frontmatter of `SKILL.md`.
 */
export const skillRef = z.looseObject({
  name: z.string().min(1),
  source: z.string(),
  path: z.string(),
  description: z.string(),
  uri: z.string().nullish(),
  license: z.string().nullish(),
  compatibility: z.string().nullish(),
  allowed_tools: z.array(z.string()).nullish(),
  tags: z.array(z.string()).nullish(),
  version: z.string().nullish(),
  skill_metadata: record.nullish(),
});
export type SkillRef = z.infer<typeof skillRef>;

/** Reply to `client:get_skills`: all skills of the computer, without their texts. */
export const getSkillsReply = z.looseObject({ skills: z.array(skillRef), ...answered });
export type GetSkillsReply = z.infer<typeof getSkillsReply>;

/**
 * Question `client:get_skill` for one file of a skill, answered with `GetSkillReply`. `rel_path` is relative to the
 * folder of the skill, with `/` between its parts; by default it is `SKILL.md`.
 */
export const getSkill = z.looseObject({ ...asked, name: z.string(), rel_path: z.string().nullish() });
export type GetSkill = z.infer<typeof getSkill>;

/**
 * Reply to `client:get_skill`: the text of the file as `body`, or a handle for `client:get_blob`. `SKILL.md` comes
 * without its frontmatter. `total_size` in bytes and `sha256` (hexadecimal) are those of what is sent. `a2c_files`, an
 * extension of ours: with `SKILL.md` the paths of the other files, absent when they are too many.
 */
export const getSkillReply = z.looseObject({
  name: z.string(),
  rel_path: z.string(),
  mime_type: z.string(),
  total_size: z.int().nonnegative(),
  sha256: z.string(),
  body: z.string().nullish(),
  blob_handle: z.string().nullish(),
  a2c_files: z.array(z.string()).optional().catch(undefined),
  ...answered,
});
export type GetSkillReply = z.infer<typeof getSkillReply>;
