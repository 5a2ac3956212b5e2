/** What `a2c check` says of a server: pure rules over what it declared, lists, answers and tells. */
export { violation, checkRules, type Violation, type CheckRule } from './violation.ts';
export { brokenByChange, isTold, type ReadTwice } from './change-rules.ts';
export {
  brokenByCatalogue,
  brokenByDocument,
  brokenByElement,
  brokenByPage,
  brokenByPages,
} from './document-rules.ts';
export {
  brokenByList,
  brokenByRefusal,
  brokenByTime,
  brokenByWindow,
  isDocument,
  isWindow,
  type Declared,
  type Refusing,
} from './server-rules.ts';
