// bcryptprimitives.dll, which Wine 8 lacks and programs in Rust and Go load for random bytes.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length) {
  for (SIZE_T done = 0; done < length;) {
    ULONG part = length - done > 65536 ? 65536 : (ULONG)(length - done);
    if (!RtlGenRandom(bytes + done, part)) return FALSE;
    done += part;
  }
  return TRUE;
}
