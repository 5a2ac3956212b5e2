import { blobsMachine } from '../../machines/blobs/blobs.machine.ts';
import { uploadMachine } from '../../machines/uploads/upload.machine.ts';
import type { Kinds } from '../runtime/part.ts';

/** Machines that a computer opens for agents alone. */
export const seatKinds: Kinds = { blobs: blobsMachine, upload: uploadMachine };
