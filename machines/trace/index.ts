export { canonical, revived, textOfRecord, type Veil } from './canonical.ts';
export { Check, checkText } from './check.ts';
export {
  headSchema,
  profiles,
  recordSchema,
  tailSchema,
  traceFormat,
  type Head,
  type Profile,
  type Tail,
} from './format.ts';
export type { HeldFrame, Keyframe, RootFrame } from './keyframe.ts';
export { readTrace, textOfLine, type Trace, type TraceLine, type TraceRead } from './reading.ts';
export type { DirectoryRecord, Thrown } from './record.ts';
export { redacted, veilOf, type KeyedHash } from './redaction.ts';
export { isSecretName, secretsIn, shortestSecret } from './secret-names.ts';
export type { Step } from './step.ts';
