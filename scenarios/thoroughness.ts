/**
 * How much of what is played is proven again. A replay proves that the machines do the same once more; a second play
 * that the fakes do, too, which are the same few for all of them. Both cost as much as the play itself, so `npm test`
 * does it for every so many, and `replays.long.test.ts` replays each.
 */
export const thoroughness = { replaysEveryNth: 4, playsTwiceEveryNth: 12 };
