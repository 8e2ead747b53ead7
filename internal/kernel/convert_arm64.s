//go:build arm64 && !purego && !race

#include "textflag.h"
#include "loops_arm64.h"
#include "neon_arm64.h"

// CONVERT defines the loop NAME, which does
//
//	for i, x := range src[:n&^31] {
//		dst[i] = D(x)
//	}
//
// BODY converts COUNT numbers, and advances both pointers.
//
//	R0, R1       dst, src
//	R2           remaining numbers
//	V0 to V7     numbers as they are loaded
//	V16 to V23   results
#define CONVERT(NAME, COUNT, BODY) \
TEXT NAME(SB), NOSPLIT, $0-40; \
	MOVD dst+0(FP), R0; \
	MOVD src+8(FP), R1; \
	MOVD n+16(FP), R2; \
	AND  $~31, R2; \
	MOVD R2, done+32(FP); \
	CBZ  R2, none; \
loop: \
	BODY; \
	SUB  $COUNT, R2; \
	CBNZ R2, loop; \
none: \
	RET

// LOAD16, LOAD32 and LOAD64 load 16, 32 or 64 bytes into vectors from V0 on, and MORE64 loads 64 bytes into V4 to V7.
// STORE64 and STORE128 store vectors from V16 on.
#define LOAD16 VLD1.P 16(R1), [V0.B16]
#define LOAD32 VLD1.P 32(R1), [V0.B16, V1.B16]
#define LOAD64 VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
#define MORE64 VLD1.P 64(R1), [V4.B16, V5.B16, V6.B16, V7.B16]
#define STORE64 VST1.P [V16.B16, V17.B16, V18.B16, V19.B16], 64(R0)
#define STORE128 \
	STORE64; \
	VST1.P [V20.B16, V21.B16, V22.B16, V23.B16], 64(R0)

// BOTH converts the halves of vector N to vectors A and B. TWO and FOUR convert V0 and V1, or V0 to V3, to vectors from
// V16 on. EACH4 and EACH8 convert 4 or 8 vectors from V16 on in place.
#define BOTH(OP, OPH, N, A, B) \
	OP(N, A); \
	OPH(N, B)

#define TWO(OP, OPH) \
	BOTH(OP, OPH, 0, 16, 17); \
	BOTH(OP, OPH, 1, 18, 19)

#define FOUR(OP, OPH) \
	TWO(OP, OPH); \
	BOTH(OP, OPH, 2, 20, 21); \
	BOTH(OP, OPH, 3, 22, 23)

#define EACH4(OP) \
	OP(16, 16); \
	OP(17, 17); \
	OP(18, 18); \
	OP(19, 19)

#define EACH8(OP) \
	EACH4(OP); \
	OP(20, 20); \
	OP(21, 21); \
	OP(22, 22); \
	OP(23, 23)

// WIDER and WIDER8 convert numbers to numbers of twice the size.
#define WIDER(OP, OPH) \
	LOAD64; \
	FOUR(OP, OPH); \
	STORE128

#define WIDER8(OP, OPH) \
	LOAD32; \
	TWO(OP, OPH); \
	STORE64

CONVERT(·convertI8I16, 32, WIDER8(SXTL8, SXTLH8))
CONVERT(·convertU8I16, 32, WIDER8(UXTL8, UXTLH8))
CONVERT(·convertI16I32, 32, WIDER(SXTL16, SXTLH16))
CONVERT(·convertU16I32, 32, WIDER(UXTL16, UXTLH16))
CONVERT(·convertI32I64, 16, WIDER(SXTL32, SXTLH32))
CONVERT(·convertU32I64, 16, WIDER(UXTL32, UXTLH32))
CONVERT(·convertF32F64, 16, WIDER(FCVTL, FCVTLH))

// The macros below convert numbers to numbers of the same size, and integers to floats.
#define SAME(OP) \
	VLD1.P 64(R1), [V16.B16, V17.B16, V18.B16, V19.B16]; \
	EACH4(OP); \
	STORE64

#define SHORTSINGLE(XTL, XTLH) \
	LOAD32; \
	TWO(XTL, XTLH); \
	EACH4(SCVTF32); \
	STORE64

#define BYTESINGLE(XTL, XTLH, XTL16, XTLH16) \
	LOAD16; \
	BOTH(XTL, XTLH, 0, 2, 1); \
	XTL16(2, 16); \
	XTLH16(2, 17); \
	BOTH(XTL16, XTLH16, 1, 18, 19); \
	EACH4(SCVTF32); \
	STORE64

#define INTDOUBLE(XTL, XTLH) \
	LOAD64; \
	FOUR(XTL, XTLH); \
	EACH8(SCVTF64); \
	STORE128

#define SHORTDOUBLE(XTL, XTLH, XTL32, XTLH32) \
	LOAD32; \
	BOTH(XTL, XTLH, 1, 2, 3); \
	XTL(0, 1); \
	XTLH(0, 4); \
	BOTH(XTL32, XTLH32, 1, 16, 17); \
	BOTH(XTL32, XTLH32, 4, 18, 19); \
	BOTH(XTL32, XTLH32, 2, 20, 21); \
	BOTH(XTL32, XTLH32, 3, 22, 23); \
	EACH8(SCVTF64); \
	STORE128

CONVERT(·convertI8F32, 16, BYTESINGLE(SXTL8, SXTLH8, SXTL16, SXTLH16))
CONVERT(·convertU8F32, 16, BYTESINGLE(UXTL8, UXTLH8, UXTL16, UXTLH16))
CONVERT(·convertI16F32, 16, SHORTSINGLE(SXTL16, SXTLH16))
CONVERT(·convertU16F32, 16, SHORTSINGLE(UXTL16, UXTLH16))
CONVERT(·convertI32F32, 16, SAME(SCVTF32))
CONVERT(·convertU32F32, 16, SAME(UCVTF32))
CONVERT(·convertI16F64, 16, SHORTDOUBLE(SXTL16, SXTLH16, SXTL32, SXTLH32))
CONVERT(·convertU16F64, 16, SHORTDOUBLE(UXTL16, UXTLH16, UXTL32, UXTLH32))
CONVERT(·convertI32F64, 16, INTDOUBLE(SXTL32, SXTLH32))
CONVERT(·convertU32F64, 16, INTDOUBLE(UXTL32, UXTLH32))
CONVERT(·convertI64F64, 8, SAME(SCVTF64))
CONVERT(·convertU64F64, 8, SAME(UCVTF64))

// The macros below convert float64 to smaller numbers. The instructions convert to integers as Convert does: floats out
// of range become the nearest integer, and NaN becomes 0.
#define NARROW4(OP, OPH) \
	OP(0, 16); \
	OPH(1, 16); \
	OP(2, 17); \
	OPH(3, 17); \
	OP(4, 18); \
	OPH(5, 18); \
	OP(6, 19); \
	OPH(7, 19)

#define DOUBLESINGLE \
	LOAD64; \
	MORE64; \
	NARROW4(FCVTN, FCVTNH); \
	STORE64

#define DOUBLEINT \
	LOAD64; \
	MORE64; \
	FCVTZS64(0, 0); \
	FCVTZS64(1, 1); \
	FCVTZS64(2, 2); \
	FCVTZS64(3, 3); \
	FCVTZS64(4, 4); \
	FCVTZS64(5, 5); \
	FCVTZS64(6, 6); \
	FCVTZS64(7, 7); \
	NARROW4(SQXTN32, SQXTNH32); \
	STORE64

CONVERT(·convertF64F32, 16, DOUBLESINGLE)
CONVERT(·convertF64I32, 16, DOUBLEINT)
CONVERT(·convertF64I64, 8, SAME(FCVTZS64))
CONVERT(·convertF32I32, 16, SAME(FCVTZS32))
