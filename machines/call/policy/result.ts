/** Reads the answer of a server, and makes the result of a call of it. */
import { roundedResults, isObject, type Fields } from '../../protocol/json.ts';
import { metaForAgents } from '../../catalog/tool.ts';
import type { CallPolicy } from './policy.ts';
import { rememberedLast } from '../../kernel/objects.ts';
import { toolResult, type CallToolResult } from '../../protocol/tool-result.ts';
import { excessOf, truncateTo } from './truncate.ts';

export interface Finding {
  readonly mismatch: readonly string[];
  /** Result after the VRL program of the server, as JSON text; null when no program ran. */
  readonly transformed: string | null;
  readonly warnings: readonly string[];
  /** Items of the result with handles in place of large contents; absent when all contents are in it. */
  readonly content?: readonly unknown[];
}
export const nothingFound: Finding = { mismatch: [], transformed: null, warnings: [] };

const readOnce = rememberedLast<object, CallToolResult>(toolResult);
/** Reads the result of a server of any make. */
export const readResult = (raw: unknown): CallToolResult =>
  typeof raw === 'object' && raw !== null ? readOnce(raw) : toolResult(raw);
/** Integers that a number cannot hold; the texts of a result have their digits. */
const roundedIn = (result: unknown): readonly string[] =>
  isObject(result) ? roundedResults('structuredContent', result['structuredContent']) : [];
export const isRefusedByTool = (result: unknown): boolean => isObject(result) && result['isError'] === true;
/** A copy. The server's `_meta` moves there too, because readers that know both names only read `_meta`. */
export function withMeta(result: unknown, more: Fields): unknown {
  if (!isObject(result) || Object.keys(more).length === 0) return result;
  const { _meta, meta, ...rest } = result;
  return { ...rest, meta: { ...(isObject(_meta) && _meta), ...(isObject(meta) && meta), ...more } };
}

export const handleOf = (c: { readonly server: string; readonly reqId: string }): string =>
  `${c.server}/${c.reqId}`;

interface Called {
  readonly server: string;
  readonly reqId: string;
  readonly policy: CallPolicy | null;
}
export const isOverBudget = ({ policy }: Called, result: unknown): boolean =>
  policy !== null && policy.resultBytes > 0 && excessOf(result, policy.resultBytes) !== undefined;

/** Adds the metadata of the tool to a result (a2c-wire §3.6), so that VRL programs see it too. */
export function withToolMeta({ policy }: Pick<Called, 'policy'>, result: unknown): unknown {
  const warnings = roundedIn(result);
  return withMeta(result, {
    ...(policy?.meta && !isRefusedByTool(result) && { a2c_tool_meta: metaForAgents(policy.meta) }),
    ...(warnings.length > 0 && { a2c_warnings: warnings }),
  });
}

const tooLarge = 'What the program of its server made of it is too large to be given';
export function finalResult(call: Called, given: unknown, finding: Finding): unknown {
  const { policy } = call;
  if (!policy) return given;
  const { mismatch, transformed, content } = finding;
  const result = content && isObject(given) ? { ...given, content } : given;
  const warnings = [...roundedIn(given), ...finding.warnings];
  const beside = (made: string | null, said: readonly string[]): unknown =>
    withMeta(result, {
      ...(made !== null && { a2c_vrl_transformed: made }),
      ...(mismatch.length > 0 && { a2c_output_mismatch: mismatch }),
      ...(said.length > 0 && { a2c_warnings: said }),
    });
  const whole = beside(transformed, warnings);
  if (!isOverBudget(call, whole)) return whole;
  if (isOverBudget(call, result)) return truncateTo(whole, policy.resultBytes, handleOf(call));
  // Drops the findings when only they make the result too large; the result itself is complete, so no copy is kept.
  const smaller = beside(null, transformed === null ? warnings : [...warnings, tooLarge]);
  return isOverBudget(call, smaller) ? result : smaller;
}
