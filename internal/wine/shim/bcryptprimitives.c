// The one function that Go programs take from bcryptprimitives.dll, which Wine
// has only since version 9. advapi32.dll exports RtlGenRandom by this name.

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
