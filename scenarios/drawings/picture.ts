import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Chromium, type Page, openPanel } from '../fixtures/browser.ts';
import { commandLine } from '../fixtures/command-line.ts';
import { startDemo } from '../fixtures/started-demo.ts';

/** The first screen and a call of `npm run demo`, and the chart of a server that died. Needs Chromium. */
const docs = new URL('../../docs/', import.meta.url);
const size = { width: 1_280, height: 760 };
const written: string[] = [];
/** WebP is a quarter of a PNG, and the package contains it. */
async function take(page: Page, name: string): Promise<void> {
  const png = await page.screenshot();
  const blank = await page.context().newPage();
  const webp = await blank.evaluate(
    async (data) => {
      const image = await createImageBitmap(await (await fetch(data)).blob());
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width: image.width, height: image.height });
      canvas.getContext('2d')?.drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', 0.55);
    },
    `data:image/png;base64,${png.toString('base64')}`,
  );
  await blank.close();
  writeFileSync(new URL(name, docs), webp.slice(webp.indexOf(',') + 1), 'base64');
  written.push(`docs/${name}`);
}
async function ofDemo(chromium: Chromium): Promise<void> {
  const demo = await startDemo();
  try {
    const { page } = await chromium.look(demo.url, size);
    await page.getByText('the licence has expired').first().waitFor({ timeout: 60_000 });
    await take(page, 'inspector.webp');
    await openPanel(page, 'Calls');
    await page.locator('.call', { hasText: 'slow_work' }).filter({ hasText: 'succeeded' }).first().click();
    await page.getByRole('heading', { name: 'on the wire' }).waitFor();
    await take(page, 'inspector-call.webp');
  } finally {
    await demo.close();
  }
}
async function ofRecording(chromium: Chromium): Promise<void> {
  const file = fileURLToPath(new URL('../recordings/death-in-mid-call.trace.ndjson.gz', import.meta.url));
  const html = join(mkdtempSync(join(tmpdir(), 'a2c-picture-')), 'death-in-mid-call.html');
  await commandLine(['show', file, '--html', html]);
  const { page } = await chromium.look(pathToFileURL(html).href, size);
  await openPanel(page, 'Chart');
  await page.locator('.actor', { hasText: 'client:files' }).click();
  await page.locator('.edge .place').first().waitFor();
  await take(page, 'inspector-chart.webp');
}
const chromium = await Chromium.start();
try {
  await ofDemo(chromium);
  await ofRecording(chromium);
} finally {
  await chromium.close();
}
process.stdout.write(`wrote ${written.join(', ')}\n`);
