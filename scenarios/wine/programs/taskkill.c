// taskkill.exe as Windows has it; the one of Wine 8 does not know /T. Ends by TerminateProcess with /F, and refuses
// without it, as Windows does for programs without a window. A file C:\deny-taskkill makes it refuse everything.
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tlhelp32.h>

#define MOST 8192
static PROCESSENTRY32 all[MOST];
static DWORD doomed[MOST];
static int rows, count;

static void doom(DWORD pid, int with_tree) {
  for (int i = 0; i < count; i++)
    if (doomed[i] == pid) return;
  if (count < MOST) doomed[count++] = pid;
  for (int i = 0; with_tree && i < rows; i++)
    if (all[i].th32ParentProcessID == pid && all[i].th32ProcessID != pid) doom(all[i].th32ProcessID, 1);
}

static int is_listed(DWORD pid) {
  for (int i = 0; i < rows; i++)
    if (all[i].th32ProcessID == pid) return 1;
  return 0;
}

int main(int argc, char **argv) {
  int with_tree = 0, by_force = 0, code = 0;
  if (GetFileAttributesA("C:\\deny-taskkill") != INVALID_FILE_ATTRIBUTES) {
    fputs("ERROR: Access is denied.\r\n", stderr);
    return 1;
  }
  HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  all[0].dwSize = sizeof all[0];
  if (Process32First(snapshot, &all[0]))
    do {
      if (++rows == MOST) break;
      all[rows].dwSize = sizeof all[0];
    } while (Process32Next(snapshot, &all[rows]));
  CloseHandle(snapshot);
  for (int i = 1; i < argc; i++) {
    if (!_stricmp(argv[i], "/T")) with_tree = 1;
    if (!_stricmp(argv[i], "/F")) by_force = 1;
  }
  for (int i = 1; i + 1 < argc; i++) {
    if (_stricmp(argv[i], "/PID")) continue;
    DWORD pid = strtoul(argv[i + 1], NULL, 10);
    if (is_listed(pid)) {
      doom(pid, with_tree);
    } else {
      fprintf(stderr, "ERROR: The process \"%lu\" not found.\r\n", pid);
      code = 128;
    }
  }
  for (int i = count - 1; i >= 0; i--) {
    HANDLE process = by_force ? OpenProcess(PROCESS_TERMINATE, FALSE, doomed[i]) : NULL;
    if (!process || !TerminateProcess(process, 1)) code = 1;
    if (process) CloseHandle(process);
  }
  return code;
}
