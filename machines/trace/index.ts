export { canonical, revived, type Veil } from './canonical.ts';
export { Check } from './check.ts';
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
export { readTrace, textOfLine, type Trace, type TraceLine, type TraceRead } from './reading.ts';
export type { DirectoryRecord, Thrown } from './record.ts';
export { isSecretName, redacted, secretsIn, veilOf, type KeyedHash } from './redaction.ts';
export type { Step } from './step.ts';
