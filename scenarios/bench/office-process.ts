import { createOffice } from '../../actors/index.ts';
import { startOffice } from './baseline/chain.ts';
import { unmetLimits } from './chain.ts';
import { answerLines } from './lines.ts';

const [, , whose, redis] = process.argv;
const opened = async () => {
  if (whose !== 'ours') return startOffice();
  const office = await createOffice({ port: 0, limits: unmetLimits, ...(redis !== undefined && { redis }) });
  return { url: `${office.url}/smcp`, close: office.close };
};
const office = await opened();
answerLines(office.url, office.close);
