import { rememberedLast } from '../../kernel/objects.ts';
import { givenAsText, withDigits, type Digits } from '../../protocol/exact-numbers.ts';
import { toolResult, type CallToolResult } from '../../protocol/tool-result.ts';
import { excessOf, truncateTo } from './truncate.ts';
import type { CallPolicy } from './policy.ts';
import { isObject, type Fields } from '../../protocol/json.ts';

/** The answer of the `finish` port: what was found when a result was post-processed. */
export interface Finding {
  /** How `structuredContent` differs from the output schema of the tool, a line each. */
  readonly mismatch: readonly string[];
  /** Result after the VRL program of its server: JSON. */
  readonly transformed: string | null;
  /** Sentences for a person about what could not be done. */
  readonly warnings: readonly string[];
}
export const nothingFound: Finding = { mismatch: [], transformed: null, warnings: [] };

const readOnce = rememberedLast<object, CallToolResult>(toolResult);
/** A result as everybody reads it, whatever its server wrote; with digits as text where a number does not hold them. */
export const readResult = (raw: unknown, digits?: readonly Digits[]): CallToolResult => {
  const exact = digits ? withDigits(raw, digits) : raw;
  return typeof exact === 'object' && exact !== null ? readOnce(exact) : toolResult(exact);
};
export const isRefusedByTool = (result: unknown): boolean => isObject(result) && result['isError'] === true;
/**
 * The same result with more under `meta`. What the server said under `_meta` moves there, too: readers that know both
 * names heed `_meta` only. Nothing of it is changed in place.
 */
export function withMeta(result: unknown, more: Fields): unknown {
  if (!isObject(result) || Object.keys(more).length === 0) return result;
  const { _meta, meta, ...rest } = result;
  return { ...rest, meta: { ...(isObject(_meta) && _meta), ...(isObject(meta) && meta), ...more } };
}

/** Handle under which the host finds a result that was cut, by the name of the call. */
export const handleOf = (c: { readonly server: string; readonly reqId: string }): string =>
  `${c.server}/${c.reqId}`;

interface Called {
  readonly server: string;
  readonly reqId: string;
  readonly policy: CallPolicy | null;
  readonly digits?: readonly Digits[];
}
export const isOverBudget = ({ policy }: Called, result: unknown): boolean =>
  policy !== null && policy.resultBytes > 0 && excessOf(result, policy.resultBytes) !== undefined;

/** Why some of its numbers are texts. */
const digitWarnings = (digits: readonly Digits[] = []): readonly string[] => digits.map(givenAsText);
/** A result as it came, with the meta of its tool (a2c-wire §3.6): programs see that, too. */
export const carried = (
  { policy }: Pick<Called, 'policy'>,
  result: unknown,
  digits?: readonly Digits[],
): unknown =>
  withMeta(result, {
    ...(policy?.meta && !isRefusedByTool(result) && { a2c_tool_meta: policy.meta }),
    ...(digits && { a2c_warnings: digitWarnings(digits) }),
  });

const tooLarge = 'What the program of its server made of it is too large to be given';
/** A result as it is given: what was found beside it, and no more bytes than it may have. */
export function finished(call: Called, result: unknown, finding: Finding): unknown {
  const { policy } = call;
  if (!policy) return result;
  const { mismatch, transformed } = finding;
  const warnings = [...digitWarnings(call.digits), ...finding.warnings];
  const beside = (made: string | null, said: readonly string[]): unknown =>
    withMeta(result, {
      ...(made !== null && { a2c_vrl_transformed: made }),
      ...(mismatch.length > 0 && { a2c_output_mismatch: mismatch }),
      ...(said.length > 0 && { a2c_warnings: said }),
    });
  const whole = beside(transformed, warnings);
  if (!isOverBudget(call, whole)) return whole;
  if (isOverBudget(call, result)) return truncateTo(whole, policy.resultBytes, handleOf(call));
  // What was found is too large, not the result: that is whole, and no other one is kept.
  const smaller = beside(null, transformed === null ? warnings : [...warnings, tooLarge]);
  return isOverBudget(call, smaller) ? result : smaller;
}
