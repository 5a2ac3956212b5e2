/** Windows: their URIs, a desktop made of them, and what changed about it (seed 001). Mirrors `../finder/`. */
export { desktopDifference, isDesktopChanged, refusedWindowsIn, windowUrisIn } from './desktop-update.ts';
export { desktopQueryOf, desktopQuestion, type DesktopQuery } from './query.ts';
export { arrangeWindows, organizeDesktop } from './organize-desktop.ts';
export {
  buildWindowUri,
  isWindowUri,
  parseWindowUri,
  type BuiltWindowUri,
  type ParsedWindowUri,
  type WindowRule,
  type WindowUri,
} from './window-uri.ts';
export { standingsIn, type Standings } from './standings.ts';
export { windowsTouched } from './windows-touched.ts';
export { hasBlob, isShown, readWindow, renderWindow, type ShownWindow, type Window } from './window.ts';
