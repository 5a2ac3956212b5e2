import { describe, expect, it } from 'vitest';
import { openerFor } from './run-text.ts';
import { systemProgram, type SystemProgram } from './environment.ts';
import { createSystemTools, type Run } from './local-launcher.ts';

const env = { SystemRoot: 'D:\\Win' };

describe('a program of Windows', () => {
  it.each<[SystemProgram, Readonly<Record<string, string>>, string]>([
    ['taskkill', env, 'D:\\Win\\System32\\taskkill.exe'],
    ['rundll32', { SYSTEMROOT: 'D:/Win/' }, 'D:\\Win\\System32\\rundll32.exe'],
    ['cmd', { systemroot: 'C:\\Windows' }, 'C:\\Windows\\System32\\cmd.exe'],
    ['wmic', env, 'D:\\Win\\System32\\wbem\\WMIC.exe'],
    ['powershell', env, 'D:\\Win\\System32\\WindowsPowerShell\\v1.0\\powershell.exe'],
    ...['', '.', 'Win', '\\Win', '\\\\host\\share', 'C:'].map(
      (SystemRoot): [SystemProgram, Readonly<Record<string, string>>, string] => [
        'taskkill',
        { SystemRoot },
        'C:\\Windows\\System32\\taskkill.exe',
      ],
    ),
    ['taskkill', {}, 'C:\\Windows\\System32\\taskkill.exe'],
  ])('%s with %j is %s', (program, variables, file) => {
    expect(systemProgram(program, variables)).toBe(file);
  });
  it('opens a page there, and one of PATH does it elsewhere', () => {
    expect(openerFor('win32', env)).toEqual([
      'D:\\Win\\System32\\rundll32.exe',
      'url.dll,FileProtocolHandler',
    ]);
    expect(openerFor('darwin', env)).toEqual(['open']);
    expect(openerFor('linux', env)).toEqual(['xdg-open']);
  });
});

describe('what it is asked of processes', () => {
  /** Fake Windows machine on which these programs give these answers; `ran` lists the programs that were run. */
  function machine(says: Readonly<Partial<Record<SystemProgram, string>>>) {
    const ran: string[] = [];
    const run: Run = async (program, args) => {
      ran.push(program);
      return program === 'taskkill' && args[0] !== '/T' ? undefined : says[program];
    };
    return { ran, tools: createSystemTools(run) };
  }
  it('is told by wmic, in columns with a head, and by PowerShell where there is no wmic', async () => {
    const rows = [
      { ppid: 0, pid: 777 },
      { ppid: 777, pid: 7 },
    ];
    const old = machine({
      wmic: 'ParentProcessId  ProcessId  \r\r\n0                777        \r\r\n777 7\r\r\n',
    });
    expect([await old.tools.list(), old.ran]).toEqual([rows, ['wmic']]);
    const young = machine({ powershell: '0 777\r\n777 7\r\n' });
    expect([await young.tools.list(), young.ran]).toEqual([rows, ['wmic', 'powershell']]);
  });
  it('is not known where neither answers', async () => {
    expect(await machine({}).tools.list()).toBeUndefined();
    expect(await machine({ wmic: 'No Instance(s) Available.' }).tools.list()).toBeUndefined();
  });
  it('knows whether there was a taskkill', async () => {
    expect(await machine({ taskkill: '' }).tools.taskkill(['/T'])).toBe(true);
    expect(await machine({}).tools.taskkill(['/T'])).toBe(false);
  });
});
