export {
  argumentsInvalid,
  confirmationDenied,
  confirmationLate,
  notConfirmed,
  notPermitted,
  type CallPolicy,
  type Confirmation,
  type Judgement,
} from './policy.ts';
export {
  finished,
  handleOf,
  isOverBudget,
  isRefusedByTool,
  nothingFound,
  withMeta,
  type Finding,
} from './result.ts';
export { cutTo } from './cut.ts';
export { askInTurn, busy, defaultLimits, noLimits, type LaneLimits, type Lanes, type Turn } from './lanes.ts';
