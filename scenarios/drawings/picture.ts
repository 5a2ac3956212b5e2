import { fileURLToPath } from 'node:url';
import { Chromium } from '../fixtures/browser.ts';
import { startDemo } from '../fixtures/started-demo.ts';

/** Writes docs/inspector.png: the page of `npm run demo` after one of its servers has died. Needs Chromium. */
const demo = await startDemo();
const chromium = await Chromium.start();
try {
  const { page } = await chromium.look(demo.url, { width: 1280, height: 760 });
  await page.getByText('the licence has expired').first().waitFor({ timeout: 60_000 });
  await page.screenshot({ path: fileURLToPath(new URL('../../docs/inspector.png', import.meta.url)) });
} finally {
  await chromium.close();
  await demo.close();
}
process.stdout.write('wrote docs/inspector.png\n');
