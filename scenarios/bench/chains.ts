import { baselineComputer, baselineFull } from './baseline/chain.ts';
import { bareClient, throughComputer, warmed } from './rows/calls.ts';
import type { Contender } from './rows/chain.ts';
import { firstCollection } from './rows/collection.ts';
import {
  bareParser,
  firstPageOfLibrary,
  listedLibrary,
  readFolders,
  scannedTexts,
  searchedLibrary,
} from './rows/documents.ts';
import { byHandIdle, byHandLives, oursIdle, oursLives } from './inside.ts';
import { handCachedLists, toolListing } from './rows/listing.ts';
import { mapAndTimer, oursInMemory } from './memory-harness.ts';
import { oursComputer, oursFull } from './ours.ts';
import {
  organisedDesktop,
  organisedFinder,
  searchedFinder,
  sortedDocuments,
  sortedWindows,
} from './rows/organise.ts';
import { asManyBare, heardBy, heardByHost, heardByNobody, recorded } from './rows/recording.ts';
import { baselineRelay, oursRelay } from './rows/relay.ts';
import { busyMinutes, callsOnAClock, drawnRuns } from './rows/simulation.ts';
import { sortedPage, warmFinder } from './rows/warm.ts';
import { unwatched, watched } from './rows/watched.ts';

/** Up to a thousand: what a call costs must not grow with the number in flight. */
const manyInFlight = [1, 64, 256, 1_000];

/** Who runs. Of each group the first is the yardstick; the others are shown as ratios to it. */
export const chains: readonly Contender[] = [
  { group: 'full chain', name: 'baseline', open: baselineFull },
  { group: 'full chain', name: 'ours', open: oursFull },
  { group: 'relay alone', name: 'baseline', open: baselineRelay },
  { group: 'relay alone', name: 'ours', open: oursRelay },
  { group: 'computer alone', name: 'baseline', open: baselineComputer },
  { group: 'computer alone', name: 'ours', open: oursComputer },
  { group: 'calls', name: 'baseline', open: warmed(bareClient), inFlight: [1, 64, 1_000] },
  { group: 'calls', name: 'ours', open: warmed(throughComputer), inFlight: [1, 64, 1_000] },
  { group: 'listing', name: 'baseline', open: handCachedLists, inFlight: [1] },
  { group: 'listing', name: 'ours', open: toolListing, inFlight: [1] },
  { group: 'directory alone', name: 'map + timer', open: mapAndTimer, inFlight: manyInFlight },
  { group: 'directory alone', name: 'ours', open: () => oursInMemory(), inFlight: manyInFlight },
  { group: 'directory alone', name: 'ours, recorded', open: recorded, inFlight: manyInFlight },
  { group: 'recorder alone', name: 'nobody', open: heardByNobody, inFlight: [1] },
  { group: 'recorder alone', name: 'boundary', open: heardBy('boundary'), inFlight: [1] },
  { group: 'recorder alone', name: 'steps', open: heardBy('steps'), inFlight: [1] },
  { group: 'recorder of calls', name: 'SDK client', open: asManyBare, inFlight: [1] },
  { group: 'recorder of calls', name: 'as a host has it', open: heardByHost, inFlight: [1] },
  { group: 'watched', name: 'nobody', open: unwatched, inFlight: [1] },
  { group: 'watched', name: 'a page', open: watched, inFlight: [1] },
  { group: 'simulation', name: 'calls on a clock', open: callsOnAClock, inFlight: [1] },
  { group: 'simulation', name: 'busy minute', open: busyMinutes, inFlight: [1] },
  { group: 'simulation', name: 'simulated run', open: drawnRuns, inFlight: [1] },
  { group: 'lifecycle', name: 'baseline', open: byHandLives, inFlight: [1] },
  { group: 'lifecycle', name: 'ours', open: oursLives, inFlight: [1] },
  { group: 'memory', name: 'baseline', open: byHandIdle, inFlight: [1] },
  { group: 'memory', name: 'ours', open: oursIdle, inFlight: [1] },
  { group: 'organise desktop', name: 'bare sort', open: sortedWindows, inFlight: [1] },
  { group: 'organise desktop', name: 'ours', open: organisedDesktop, inFlight: [1] },
  { group: 'organise finder', name: 'bare sort', open: sortedDocuments, inFlight: [1] },
  { group: 'organise finder', name: 'ours, a page', open: organisedFinder, inFlight: [1] },
  { group: 'organise finder', name: 'ours, a search', open: searchedFinder, inFlight: [1] },
  { group: 'warm finder', name: 'bare sort', open: sortedPage, inFlight: [1] },
  { group: 'warm finder', name: 'ours', open: warmFinder, inFlight: [1] },
  { group: 'first collection', name: '2 × 2,000', open: firstCollection(2_000), inFlight: [1] },
  { group: 'first collection', name: '1 × 4,000', open: firstCollection(4_000), inFlight: [1] },
  { group: 'documents: list', name: 'baseline', open: readFolders, inFlight: [1] },
  { group: 'documents: list', name: 'ours', open: listedLibrary, inFlight: [1] },
  { group: 'documents: page', name: 'baseline', open: bareParser, inFlight: [1] },
  { group: 'documents: page', name: 'ours', open: firstPageOfLibrary, inFlight: [1] },
  { group: 'documents: search', name: 'baseline', open: scannedTexts, inFlight: [1] },
  { group: 'documents: search', name: 'ours', open: searchedLibrary, inFlight: [1] },
];
