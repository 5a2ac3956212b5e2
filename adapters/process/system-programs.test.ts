import { describe, expect, it } from 'vitest';
import { openerFor } from './run-text.ts';
import { systemProgram, type SystemProgram } from './environment.ts';
import { createSystemTools, timeOf, type Run } from './windows-trees.ts';

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

describe('what Windows is asked of processes', () => {
  /** Fake Windows machine on which these programs give these answers; `ran` lists the programs that were run. */
  function machine(says: Readonly<Partial<Record<SystemProgram, string>>>, code = 0) {
    const ran: string[] = [];
    const run: Run = async (program) => {
      ran.push(program);
      const out = says[program];
      return out === undefined ? undefined : { code, out };
    };
    return { ran, tools: createSystemTools(run) };
  }
  it('is told by wmic, in columns with a head, and by PowerShell where there is no wmic', async () => {
    const created = Date.UTC(2026, 10, 26, 15, 59, 57, 497);
    const rows = [{ ppid: 777, pid: 7, created }];
    const old = machine({
      wmic: [
        'CreationDate               ParentProcessId  ProcessId  \r\r\n',
        '                           0                0          \r\r\n',
        '20261126165957.497000+060  777              7          \r\r\n',
      ].join(''),
    });
    expect([await old.tools.list(), old.ran]).toEqual([rows, ['wmic']]);
    const young = machine({ powershell: '134085779974970000 777 7\r\n' });
    expect([await young.tools.list(), young.ran]).toEqual([
      [{ ...rows[0], created: timeOf('134085779974970000') }],
      ['wmic', 'powershell'],
    ]);
  });
  it('has the times of both lists as one', () => {
    expect(timeOf('116444736000000000')).toBe(0);
    expect(timeOf('19700101000001.250000-090')).toBe(1_250 + 90 * 60_000);
  });
  it('is not known where neither answers', async () => {
    expect(await machine({}).tools.list()).toBeUndefined();
    expect(await machine({ wmic: 'No Instance(s) Available.' }).tools.list()).toBeUndefined();
  });
  it.each([
    [0, true],
    [128, true],
    [1, false],
    [255, false],
  ])('knows of a taskkill that ended with %i whether all is done: %s', async (code, isDone) => {
    expect(await machine({ taskkill: '' }, code).tools.taskkill(['/T'])).toBe(isDone);
    expect(await machine({}).tools.taskkill(['/T'])).toBe(false);
  });
  it('is read once for all who ask while it is read, and once more for those', async () => {
    const { ran, tools } = machine({ wmic: '20261126165957.497000+060 777 7' });
    const first = tools.list();
    await Promise.all([first, tools.list(), tools.list()]);
    expect(ran).toEqual(['wmic', 'wmic']);
  });
});
