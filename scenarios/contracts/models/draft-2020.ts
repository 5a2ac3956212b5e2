import { Ajv2020 } from 'ajv/dist/2020.js';

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
/** By their text, for two providers are given the same. */
const known = new Map<string, boolean>();
/** Valid JSON Schema, draft 2020-12, as another program than ours sees it. */
export function isDraft2020(schema: unknown): boolean {
  const text = JSON.stringify(schema);
  const before = known.get(text);
  if (before !== undefined) return before;
  const isGood = typeof schema === 'object' && schema !== null && compiles(schema);
  known.set(text, isGood);
  return isGood;
}
function compiles(schema: object): boolean {
  try {
    return Boolean(ajv.validateSchema(schema)) && Boolean(ajv.compile(schema));
  } catch {
    return false;
  } finally {
    ajv.removeSchema();
  }
}
