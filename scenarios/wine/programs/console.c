/*
 * Runs a command in a console of its own, and ends with its exit code.
 *
 *   console.exe pty COMMAND    in a pseudo console (ConPTY): stdin is typed into it, and stdout is what it shows
 *   console.exe old COMMAND    in a console as AllocConsole makes it; each byte on stdin is a Ctrl-C
 */
#define _WIN32_WINNT 0x0A00
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

typedef HRESULT(WINAPI *Create)(COORD, HANDLE, HANDLE, DWORD, void **);
static const DWORD pseudoConsole = 0x00020016;

static int fail(const char *what) {
  fprintf(stderr, "console: %s: error %lu\n", what, GetLastError());
  return 100;
}
static int endOf(HANDLE process) {
  DWORD code;
  WaitForSingleObject(process, INFINITE);
  GetExitCodeProcess(process, &code);
  return (int)code;
}
static BOOL WINAPI stay(DWORD event) {
  (void)event;
  return TRUE;
}
static HANDLE ofConsole(const char *name) {
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
  return CreateFileA(name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0,
                     NULL);
}
/* Starts a command with these handles; the console is that of this process. */
static HANDLE started(char *command, HANDLE in, HANDLE out, HANDLE err) {
  STARTUPINFOA start = {sizeof start};
  PROCESS_INFORMATION child;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = in;
  start.hStdOutput = out;
  start.hStdError = err;
  if (!CreateProcessA(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child)) return NULL;
  return child.hProcess;
}

static DWORD WINAPI pass(void *pipes) {
  HANDLE *ends = pipes;
  char part[4096];
  DWORD size, written;
  while (ReadFile(ends[0], part, sizeof part, &size, NULL) && size > 0) WriteFile(ends[1], part, size, &written, NULL);
  return 0;
}
/* The pseudo console is given to this program again, since Wine gives its handles to no child by itself. */
static int inPseudoConsole(const char *self, const char *command) {
  Create create = (Create)(void *)GetProcAddress(GetModuleHandleA("kernelbase.dll"), "CreatePseudoConsole");
  HANDLE inRead, inWrite, outRead, outWrite, into[2], from[2];
  STARTUPINFOEXA start = {{sizeof start}};
  PROCESS_INFORMATION child;
  COORD size = {120, 40};
  SIZE_T bytes = 0;
  void *console;
  char line[32768];

  if (!create || !CreatePipe(&inRead, &inWrite, NULL, 0) || !CreatePipe(&outRead, &outWrite, NULL, 0)) return fail("pipes");
  if (create(size, inRead, outWrite, 0, &console)) return fail("CreatePseudoConsole");
  from[0] = outRead;
  from[1] = GetStdHandle(STD_OUTPUT_HANDLE);
  into[0] = GetStdHandle(STD_INPUT_HANDLE);
  into[1] = inWrite;
  CreateThread(NULL, 0, pass, from, 0, NULL);
  CreateThread(NULL, 0, pass, into, 0, NULL);
  InitializeProcThreadAttributeList(NULL, 1, 0, &bytes);
  start.lpAttributeList = malloc(bytes);
  InitializeProcThreadAttributeList(start.lpAttributeList, 1, 0, &bytes);
  UpdateProcThreadAttribute(start.lpAttributeList, 0, pseudoConsole, console, sizeof console, NULL, NULL);
  snprintf(line, sizeof line, "\"%s\" inside %s", self, command);
  SetStdHandle(STD_INPUT_HANDLE, NULL);
  SetStdHandle(STD_OUTPUT_HANDLE, NULL);
  if (!CreateProcessA(NULL, line, NULL, NULL, FALSE, EXTENDED_STARTUPINFO_PRESENT, NULL, NULL, &start.StartupInfo, &child))
    return fail("CreateProcess");
  return endOf(child.hProcess);
}

int main(int count, char **words) {
  char *command = GetCommandLineA();
  HANDLE child;
  char sign;

  if (count < 3) return fail("usage: console pty|old COMMAND");
  /* The command as it was written, behind the name of this program and the mode. */
  command = strstr(command + strlen(words[0]), words[1]) + strlen(words[1]);
  while (*command == ' ') command++;
  if (strcmp(words[1], "pty") == 0) return inPseudoConsole(words[0], command);
  if (strcmp(words[1], "old") == 0) {
    FreeConsole();
    if (!AllocConsole()) return fail("AllocConsole");
    HANDLE out = GetStdHandle(STD_OUTPUT_HANDLE);
    SetHandleInformation(out, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    child = started(command, ofConsole("CONIN$"), out, out);
  } else {
    HANDLE out = ofConsole("CONOUT$");
    child = started(command, ofConsole("CONIN$"), out, out);
  }
  if (!child) return fail("CreateProcess");
  SetConsoleCtrlHandler(stay, TRUE);
  if (strcmp(words[1], "old") == 0)
    while (fread(&sign, 1, 1, stdin) == 1)
      if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) return fail("GenerateConsoleCtrlEvent");
  return endOf(child);
}
