import { createOffice } from '../../actors/index.ts';
import { startOffice } from './baseline/chain.ts';
import { unmetLimits } from './chain.ts';
import { answerLines } from './lines.ts';

/** Runs an office in a process of its own: `ours`, with the URL of its Redis for a node of one, or a bare relay. */
const [, , whose, url] = process.argv;
const opened = async () => {
  if (whose !== 'ours') return startOffice();
  const office = await createOffice({
    port: 0,
    limits: unmetLimits,
    ...(url !== undefined && { redis: url }),
  });
  return { url: `${office.url}/smcp`, close: office.close };
};
const office = await opened();
answerLines({ url: office.url }, async () => ({}), office.close);
