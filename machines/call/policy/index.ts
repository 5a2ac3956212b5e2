export {
  argumentsInvalid,
  confirmationDenied,
  confirmationFailed,
  confirmationLate,
  confirmationMissing,
  confirmationTexts,
  inEnglish,
  failedConfirmation,
  notConfirmed,
  notPermitted,
  whyWithdrawn,
  wireText,
  type CallPolicy,
  type Confirmation,
  type ConfirmationText,
  type ConfirmationValues,
  type Judgement,
  type WhyNot,
} from './policy.ts';
export {
  withToolMeta,
  finalResult,
  handleOf,
  isOverBudget,
  isRefusedByTool,
  nothingFound,
  readResult,
  withMeta,
  type Finding,
} from './result.ts';
export { resultBytes } from './truncate.ts';
export {
  requestLimited,
  callLimiters,
  defaultLimits,
  noLimits,
  type CallLimits,
  type CallLimiters,
  type CallLimitersOptions,
  type Limiter,
} from './call-limiters.ts';
export { judgeAsk, ownRuleJudge, toolIn, type JudgedCall, type KnownTools } from './judge.ts';
export { finishAsk } from './result.ts';
export { copiedAsJson, textOf } from './judge.ts';
