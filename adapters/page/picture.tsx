import { domToBlob } from 'modern-screenshot';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

/** Saves a file that the page has made. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name.replaceAll(/[^\w.-]+/g, '-');
  link.click();
  // Frees the file later, because a download reads it only after this turn of the event loop.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
/** Button that saves what the window shows as a PNG file. */
export function Picture({ name }: { name: string }): VNode {
  const [said, say] = useState('');
  const make = async (): Promise<void> => {
    try {
      const content = await domToBlob(document.getElementById('app') ?? document.body, {
        width: innerWidth,
        height: innerHeight,
        scale: devicePixelRatio,
        font: false,
      });
      saveFile(`${name}.png`, content);
      say('');
    } catch (error) {
      say(`failed: ${error instanceof Error ? error.message : 'the browser refused it'}`);
    }
  };
  return (
    <span class="copying">
      <button type="button" onClick={() => void make()} title="save a picture of this view">
        picture
      </button>
      <span role="status" class="small quiet">
        {said}
      </span>
    </span>
  );
}
