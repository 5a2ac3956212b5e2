import type { JsonObject } from './catalog/index.ts';
import type { Address } from './address.ts';
import type { Ports } from './ports.ts';
import { wireCodes } from './wire/failure.ts';

/** What a JSON Schema says of a value. */
export type Validity =
  | { readonly ok: true }
  /** At most five lines, `path: what is wrong`; none holds a value, for it may be a secret. */
  | { readonly ok: false; readonly problems: readonly string[] }
  /** The schema cannot be used, or judging takes too long; a sentence about the schema. Nothing is known of the value. */
  | { readonly ok: 'unchecked'; readonly reason: string };
/** At once, and whatever either of them is: never throws. The same schema is the same object. */
export type Validate = (schema: JsonObject, value: unknown) => Validity;

/** Where questions for it go, as if to a session. */
export const validatePort: Address = 'validate';
/** `arguments` against an input schema, `output` (`structuredContent`) against an output schema. */
export type ValidateMethod = 'arguments' | 'output';
export interface ValidateParams {
  readonly schema: JsonObject;
  readonly value: unknown;
}
const methods: readonly string[] = ['arguments', 'output'] satisfies ValidateMethod[];

/** In the form in which machines ask. The answer comes at once: there is never anything to withdraw. */
export const asksOf =
  (validate: Validate): Ports['ask'] =>
  (_from, { id, method, params }, give) => {
    if (methods.includes(method)) {
      const { schema, value } = (params ?? {}) as ValidateParams;
      give({ type: 'ask.answered', id, result: validate(schema, value) });
    } else {
      const failure = { code: wireCodes.notBuilt, message: `Nothing is validated as ${method}` };
      give({ type: 'ask.refused', id, failure, sent: false });
    }
    return () => undefined;
  };
