import { agent } from './agent.ts';
import { aggregator } from './resources/aggregator.ts';
import { call } from './call.ts';
import { catalog } from './catalog.ts';
import { client } from './client.ts';
import { computer } from './computer.ts';
import { link } from './link.ts';
import { office } from './office.ts';
import { process } from './process.ts';
import { read } from './resources/read.ts';
import type { Sample } from './sample.ts';
import { seat } from './seat.ts';
import { registry } from './registry.ts';
import { settings } from './settings.ts';
import { cache } from './resources/server-cache.ts';
import { view } from './view.ts';
import { watch } from './resources/watch.ts';

/** By kind, as in actors/runtime/assemble.ts: a machine without a sample is not walked, and a test says so. */
export const samples: Readonly<Record<string, Sample>> = {
  agent,
  call,
  catalog,
  client,
  computer,
  desktop: aggregator('desktop'),
  desktopView: view('desktop'),
  finder: aggregator('finder'),
  finderView: view('finder'),
  link,
  office,
  process,
  read,
  seat,
  registry,
  settings,
  cache,
  view: view('tools'),
  watch,
};
