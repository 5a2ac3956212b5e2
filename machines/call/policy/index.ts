export {
  argumentsInvalid,
  confirmationDenied,
  confirmationLate,
  notConfirmed,
  notPermitted,
  unreadable,
  whyWithdrawn,
  type CallPolicy,
  type Confirmation,
  type Judgement,
  type WhyNot,
} from './policy.ts';
export {
  carried,
  finished,
  isCallToolResult,
  handleOf,
  isOverBudget,
  isRefusedByTool,
  nothingFound,
  withMeta,
  type Finding,
} from './result.ts';
export { cutTo } from './cut.ts';
export { askInTurn, busy, defaultLimits, noLimits, type LaneLimits, type Lanes, type Turn } from './lanes.ts';
export { judgeAsk, judged, toolIn, type CallQuestion, type JudgeOptions, type Known } from './judge.ts';
export { finishAsk, type FinishOptions, type FinishQuestion } from './finish.ts';
export { handed, textOf } from './strangers.ts';
