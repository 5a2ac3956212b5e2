import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { Json, ModelSkill, ModelTool, SkillAsked } from './format.ts';

/** Name of the tool, unless another tool has it. */
const toolName = 'read_skill';
/**
 * Largest number of skills, and of characters of each, in the description of the tool. A call without arguments lists all
 * skills.
 */
const [mostTold, longestTold] = [50, 300];

const inOneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= longestTold ? line : `${line.slice(0, longestTold)} …`;
};
/** Returns the names by which the model calls the skills, with the computer in front where two skills have the same name. */
export function namedSkills(skills: readonly ModelSkill[]): ReadonlyMap<string, ModelSkill> {
  const count = new Map<string, number>();
  for (const { name } of skills) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map(
    skills.map((skill) => [
      (count.get(skill.name) ?? 0) > 1 ? `${skill.computer}/${skill.name}` : skill.name,
      skill,
    ]),
  );
}
const told = (skills: ReadonlyMap<string, ModelSkill>, most: number): string =>
  [...skills]
    .slice(0, most)
    .map(([name, { description }]) => `- ${name}: ${inOneLine(description)}`)
    .join('\n');

/** Returns the tool with which a model reads skills. */
export function skillTool(skills: ReadonlyMap<string, ModelSkill>): ModelTool {
  const more = skills.size > mostTold ? `\nand ${skills.size - mostTold} more: call without "skill"` : '';
  return {
    name: toolName,
    description: `Reads a skill: instructions for a kind of work, and files that they name. Read the skill before you begin work that it is for.\n${told(skills, mostTold)}${more}`,
    inputSchema: {
      type: 'object',
      properties: {
        skill: { type: 'string', description: 'Name of the skill. Without it all skills are listed.' },
        path: {
          type: 'string',
          description:
            'Path of a file inside of the skill, as its instructions name it. Default: SKILL.md, the instructions.',
        },
      },
    },
  };
}
const unknown = (name: string): Failure => ({
  code: wireCodes.serverNotFound,
  message: `There is no skill '${name}'`,
  remedy: 'Call without "skill" for the list',
});
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
/** Reads the arguments of a call of the tool `read_skill`. */
export function skillAsked(skills: ReadonlyMap<string, ModelSkill>, { skill: name, path }: Json): SkillAsked {
  if (name === undefined || name === null || name === '')
    return { kind: 'list', text: told(skills, Infinity) };
  const text = isText(name) ? name : JSON.stringify(name);
  const found = skills.get(text);
  if (!found) return { kind: 'failed', failure: unknown(text) };
  const { computer, name: skill } = found;
  return { kind: 'file', of: isText(path) ? { computer, skill, path } : { computer, skill } };
}
