// wmic.exe for `PROCESS get CreationDate,ParentProcessId,ProcessId`; the one of Wine 8 writes UTF-16. Rows end with \r\r\n, as Windows writes them into a pipe.
#include <windows.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <tlhelp32.h>

int main(void) {
  _setmode(1, _O_BINARY);
  printf("CreationDate               ParentProcessId  ProcessId  \r\r\n");
  HANDLE snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  PROCESSENTRY32 entry = {.dwSize = sizeof entry};
  for (BOOL more = Process32First(snapshot, &entry); more; more = Process32Next(snapshot, &entry)) {
    char created[32] = "";
    FILETIME start, unused;
    SYSTEMTIME at;
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, entry.th32ProcessID);
    if (process && GetProcessTimes(process, &start, &unused, &unused, &unused) && FileTimeToSystemTime(&start, &at))
      snprintf(created, sizeof created, "%04d%02d%02d%02d%02d%02d.%03d000+000", at.wYear, at.wMonth, at.wDay, at.wHour,
               at.wMinute, at.wSecond, at.wMilliseconds);
    if (process) CloseHandle(process);
    printf("%-27s%-17lu%-11lu\r\r\n", created, entry.th32ParentProcessID, entry.th32ProcessID);
  }
  return 0;
}
