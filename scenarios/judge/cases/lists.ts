import { setTimeout as sleep } from 'node:timers/promises';
import type { Cases } from '../judge.ts';
import { judged, say } from './words.ts';

/** After so many pages a host is known to ask without end. */
const mostPages = 20_000;

export const lists: Cases = {
  burst: {
    rule: 'thirty changes in a moment: the tools are current, after five lists at most besides those that were asked for; partly: after more',
    spec: 'server/tools#list-changed-notification',
    play: async (stage) => {
      await stage.start({ faults: [{ fault: 'notify.burst', n: 30, withinMs: 300, times: 1 }] });
      await stage.call();
      const before = stage.got('tools/list');
      // A host that keeps no list asks its server each time.
      let asked = 0;
      const isCurrent = await stage.until(async () => {
        asked += 1;
        return (await stage.ask('tools')).tools?.some((name) => name.includes('new30')) === true;
      });
      const count = stage.got('tools/list') - before;
      const facts = `tools ${isCurrent ? 'current' : 'STALE'}; ${count} lists, listed ${asked} times`;
      return judged(isCurrent && count <= 5 + asked, isCurrent, facts);
    },
  },
  storm: {
    rule: 'fifty changes a second that are none: at most sixty lists in five seconds; partly: more',
    spec: null,
    play: async (stage) => {
      await stage.start({ faults: [{ fault: 'notify.storm', everyMs: 20 }] });
      await stage.call();
      const before = stage.got('tools/list');
      // A fixed wait, in which a slower machine asks less often, so the limit still holds.
      await sleep(5_000);
      const count = stage.got('tools/list') - before;
      const call = await stage.call();
      return judged(call.ok && count <= 60, call.ok, `${count} lists; call ${say(call)}`);
    },
  },
  pages: {
    rule: 'three tools on three pages: all are there',
    spec: 'server/utilities/pagination',
    play: async (stage) => {
      await stage.start({ tools: { read: {}, b: {}, c: {} }, faults: [{ fault: 'list.pages', n: 1 }] });
      const call = await stage.call({ tool: 'c' });
      const { tools = [] } = await stage.ask('tools');
      return judged(
        call.ok && tools.length === 3,
        false,
        `${tools.length} of 3 tools; call of the third ${say(call)}`,
      );
    },
  },
  cursorLoop: {
    rule: 'ever new cursors: it answers, and stops asking within 2,500 pages; partly: it answers after more',
    spec: null,
    play: async (stage) => {
      const asked = (async () => {
        await stage.start({ faults: [{ fault: 'list.cursorLoop', repeats: false }] });
        return stage.ask('tools');
      })();
      const endless = stage.until(() => stage.got('tools/list') > mostPages, 120_000);
      const tools = await Promise.race([asked, endless.then(() => undefined)]);
      let pages = -1;
      const isQuiet = await stage.until(async () => {
        const before = stage.got('tools/list');
        if (before > 2_500) return true;
        // A fixed wait: only time shows that no more requests come, and the first pauses between tries are shorter.
        await sleep(5_000);
        pages = stage.got('tools/list');
        return pages === before;
      }, 120_000);
      const count = stage.got('tools/list');
      const facts = `tools ${tools ? say(tools) : 'ASKED FOR WITHOUT END'}; ${count} pages`;
      const isAnswered = tools !== undefined && !tools.isLate;
      return judged(isAnswered && isQuiet && pages >= 0 && count <= 2_500, isAnswered, facts);
    },
  },
};
