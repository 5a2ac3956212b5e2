import { chmod, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { removedAtExit } from '../host-files.ts';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { newId } from '../clock.ts';
import { isObject, type Fields } from '../../machines/protocol/json.ts';

/** Unix sockets in a folder that only this user can enter; Windows has none, so a host has no door there. */
const folderIn = (stateDir: string): string => join(stateDir, 'doors');
const suffix = '.sock';
/** Longest path of a socket in bytes that every system takes. */
const longestPath = 100;
/** Largest message in bytes. A result is limited to 7 MiB, and grows when it is written as JSON. */
const mostBytes = 64 * 1024 * 1024;
const newline = 0x0a;

interface DoorEars {
  heard(message: Fields): void;
  /** Called once, when the other side is gone or has sent something that is no message. */
  ended(): void;
}
/** One side of a connection through a door: messages are JSON objects, one in each line. */
export interface DoorLine {
  send(message: object): void;
  /** Ends the connection after all sent messages have left. */
  close(): void;
}
export interface Door {
  /** Accepts no further connections; those that are open stay. */
  shut(): void;
  close(): void;
}

function lineOn(socket: Socket, earsOf: (line: DoorLine) => DoorEars): DoorLine {
  const line: DoorLine = {
    send: (message) => {
      if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
    },
    close: () => void socket.end(),
  };
  const ears = earsOf(line);
  let parts: Buffer[] = [];
  let bytes = 0;
  const take = (text: string): void => {
    const message: unknown = JSON.parse(text);
    if (!isObject(message)) throw new Error('no message');
    ears.heard(message);
  };
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      const text = Buffer.concat([...parts, rest.subarray(0, end)]).toString();
      [parts, bytes, rest] = [[], 0, rest.subarray(end + 1)];
      try {
        take(text);
      } catch {
        return void socket.destroy();
      }
    }
    parts.push(rest);
    bytes += rest.length;
    if (bytes > mostBytes) socket.destroy();
  });
  // Ignores the error, because the event `close` follows and is handled.
  socket.on('error', () => {});
  socket.on('close', () => ears.ended());
  return line;
}

/** Reason why another user may enter the folder; undefined when only this user can. */
async function openedTo(folder: string): Promise<string | undefined> {
  const facts = await lstat(folder);
  if (!facts.isDirectory()) return `${folder} is no folder`;
  if (facts.uid !== process.getuid?.()) return `${folder} belongs to another user`;
  return (facts.mode & 0o077) === 0 ? undefined : `other users can enter ${folder}: chmod 700 ${folder}`;
}

/** Rejects where there can be no door. The socket of a killed host is removed by `knockAtDoors`. */
export async function openDoor(stateDir: string, take: (line: DoorLine) => DoorEars): Promise<Door> {
  if (process.platform === 'win32') throw new Error('Windows has no sockets that belong to one user');
  const folder = folderIn(stateDir);
  const path = join(folder, `${newId().slice(0, 8)}${suffix}`);
  if (Buffer.byteLength(`${path}.new`) > longestPath) throw new Error(`${path} is too long for a socket`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const why = await openedTo(folder);
  if (why !== undefined) throw new Error(why);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    lineOn(socket, take);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(`${path}.new`, resolve);
  });
  // Renames the socket last, so that a command which finds it finds its access mode set and the host listening.
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
  const remove = removedAtExit(path);
  const shut = (): void => {
    remove();
    server.close();
  };
  return {
    shut,
    close: () => {
      if (server.listening) shut();
      // Ends the socket without waiting for the other side, which may be suspended.
      for (const socket of sockets) socket.end().unref();
    },
  };
}

/** Removes sockets at which no host listens; uses no folder into which another user may have put sockets. */
export async function knockAtDoors(
  stateDir: string,
  take: (line: DoorLine) => DoorEars,
): Promise<readonly DoorLine[]> {
  const folder = folderIn(stateDir);
  try {
    if ((await openedTo(folder)) !== undefined) return [];
  } catch {
    return [];
  }
  const names = (await readdir(folder)).filter((name) => name.endsWith(suffix));
  const lines = await Promise.all(names.map((name) => knock(join(folder, name), take)));
  return lines.filter((line) => line !== undefined);
}
const knock = (path: string, take: (line: DoorLine) => DoorEars): Promise<DoorLine | undefined> =>
  new Promise((resolve) => {
    const socket = connect(path);
    const refused = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'ECONNREFUSED') void rm(path, { force: true });
      resolve(undefined);
    };
    socket.once('error', refused);
    socket.once('connect', () => {
      socket.off('error', refused);
      resolve(lineOn(socket, take));
    });
  });
