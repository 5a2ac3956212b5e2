import type { RequestPort } from '../../machines/kernel/ports.ts';
import type { OpenLink } from '../../machines/link/questions.ts';
import type { OpenOffice } from '../../machines/ports/office.ts';
import type { OpenProcess } from '../../machines/ports/process.ts';
import type { OpenSession } from '../../machines/ports/session.ts';

/** StagePorts that the stage plays. */
export interface StagePorts {
  readonly process: OpenProcess;
  readonly session: OpenSession;
  readonly link: OpenLink;
  readonly office: OpenOffice;
  readonly request: RequestPort;
}
