export {
  defaultRemembered,
  withCall,
  type CallHistory,
  type CallStanding,
  type CallWait,
  type PastCall,
} from './calls.ts';
export { byRecency, type ServerHistory } from './recency.ts';
