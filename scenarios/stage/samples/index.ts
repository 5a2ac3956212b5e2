import { agent, blobs, computer, download, link, offer, settings, skills } from './hosts.ts';
import { aggregator, question, read, cache, view, watch } from './resources.ts';
import { call, catalog, client, connection, process } from './servers.ts';
import { office, seat } from './office.ts';
import { upload } from './uploads.ts';
import type { Sample } from './sample.ts';

/** A test fails for a machine without a sample. */
export const samples: Readonly<Record<string, Sample>> = {
  agent,
  blobs,
  call,
  catalog,
  client,
  computer,
  connection,
  desktop: aggregator('desktop'),
  desktopView: view('desktop'),
  download,
  finder: aggregator('finder'),
  finderView: view('finder'),
  link,
  offer,
  office,
  process,
  question,
  read,
  seat,
  settings,
  skills,
  skillsView: view('skills'),
  upload,
  cache,
  view: view('tools'),
  watch,
};
