// ProcessPrng is the only function that Go programs need from bcryptprimitives.dll, which older Wine than version 9 does
// not have. SystemFunction036 is the exported name of RtlGenRandom in advapi32.dll.

#include <windows.h>

BOOLEAN WINAPI SystemFunction036(PVOID buffer, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *data, SIZE_T size)
{
	while (size > 0) {
		ULONG n = size < 1 << 20 ? (ULONG)size : 1 << 20;
		if (!SystemFunction036(data, n))
			return FALSE;
		data += n;
		size -= n;
	}
	return TRUE;
}
