//go:build amd64 && !purego && !race

#include "textflag.h"
#include "convert_amd64.h"

// F32I32 converts 8 floats to int32 in Y, as trunc does. VCVTTPS2DQ returns the least int32 for NaN and for floats out
// of range. For floats that are too large, F32I32 complements it, which results in the greatest int32. For NaN it
// replaces the result by 0.
//
//	Y4, Y5     scratch
//	Y13, Y15   constants
#define F32INIT \
	ALL(0x4f000000, X15, Y15) /* 1<<31 */; \
	BYTEORDER

#define F32I32(AT, X, Y) \
	VMOVUPS    (4*(AT))(SI), Y4; \
	VCMPPS     $0x1d, Y15, Y4, Y5 /* >= */; \
	VCVTTPS2DQ Y4, Y; \
	VCMPPS     $7, Y4, Y4, Y4 /* not NaN */; \
	VPXOR      Y5, Y, Y; \
	VPAND      Y4, Y, Y

// F64I32 converts 8 floats to int32 in Y, as trunc does. If a result is the least int32, as for floats out of range, it
// converts all 8 again with F64I32HALF. That macro replaces NaN by 0, and limits the floats to the range of int32,
// whose ends are exact as float64s. The jump skips this by counting instructions, because a macro that is used twice
// cannot have labels.
//
//	Y4 to Y6     scratch
//	Y12          the least int32 in each lane
//	Y13 to Y15   constants
#define F64INIT \
	BROADCAST(0x41dfffffffc00000, X15, Y15) /* 1<<31 - 1 */; \
	BROADCAST(0xc1e0000000000000, X14, Y14) /* -1 << 31 */; \
	VPCMPEQD     Y12, Y12, Y12; \
	VPSLLD       $31, Y12, Y12; \
	BYTEORDER

#define F64I32HALF(AT, X) \
	VMOVUPD     (8*(AT))(SI), Y4; \
	VCMPPD      $7, Y4, Y4, Y5 /* not NaN */; \
	VANDPD      Y5, Y4, Y4; \
	VMINPD      Y15, Y4, Y4; \
	VMAXPD      Y14, Y4, Y4; \
	VCVTTPD2DQY Y4, X

#define F64I32(AT, X, Y) \
	VMOVUPD     (8*(AT))(SI), Y4; \
	VMOVUPD     (8*(AT)+32)(SI), Y6; \
	VCVTTPD2DQY Y4, X; \
	VCVTTPD2DQY Y6, X6; \
	VINSERTI128 $1, X6, Y, Y; \
	VPCMPEQD    Y12, Y, Y4; \
	VPTEST      Y4, Y4; \
	JEQ         14(PC); \
	F64I32HALF(AT, X); \
	F64I32HALF(AT+4, X6); \
	VINSERTI128 $1, X6, Y, Y

// BYTEORDER sets Y13 to the permutation of 32-bit lanes that undoes the interleaving of PACK1, as VPACK instructions
// work on each half of a vector separately. It clobbers AX.
#define BYTEORDER \
	MOVQ       $0x0703060205010400, AX; \
	VMOVQ      AX, X13; \
	VPMOVZXBD  X13, Y13

// STORE4 converts 16 numbers of SIZE bytes to int32.
#define STORE4(I32, SIZE, C, STORE) \
	I32(0, X0, Y0); \
	I32(8, X1, Y1); \
	ADDQ  $(16*SIZE), SI; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	ADDQ  $64, DI; \
	SUBQ  $16, CX

// PACK1 converts 32 numbers of SIZE bytes to integers of 1 byte with saturation.
#define PACK1(I32, PACK, SIZE, STORE) \
	I32(0, X0, Y0); \
	I32(8, X1, Y1); \
	I32(16, X2, Y2); \
	I32(24, X3, Y3); \
	ADDQ      $(32*SIZE), SI; \
	VPACKSSDW Y1, Y0, Y0; \
	VPACKSSDW Y3, Y2, Y2; \
	PACK      Y2, Y0, Y0; \
	VPERMD    Y0, Y13, Y0; \
	STORE     Y0, (DI); \
	ADDQ      $32, DI; \
	SUBQ      $32, CX

CONVERT(·convertF32I32, F32INIT, STORE4, F32I32, 4, NONE)
CONVERT(·convertF32I16, F32INIT, PACK2, F32I32, VPACKSSDW, 4)
CONVERT(·convertF32U16, F32INIT, PACK2, F32I32, VPACKUSDW, 4)
CONVERT(·convertF32I8, F32INIT, PACK1, F32I32, VPACKSSWB, 4)
CONVERT(·convertF32U8, F32INIT, PACK1, F32I32, VPACKUSWB, 4)
CONVERT(·convertF64I32, F64INIT, STORE4, F64I32, 8, NONE)
CONVERT(·convertF64I16, F64INIT, PACK2, F64I32, VPACKSSDW, 8)
CONVERT(·convertF64U16, F64INIT, PACK2, F64I32, VPACKUSDW, 8)
CONVERT(·convertF64I8, F64INIT, PACK1, F64I32, VPACKSSWB, 8)
CONVERT(·convertF64U8, F64INIT, PACK1, F64I32, VPACKUSWB, 8)

// WIDEN converts 2*E integers of SIZE bytes to integers of 32/E bytes. LOAD extends the integers. It also
// converts float32 to complex numbers, as the imaginary part is 0.
#define WIDEN(LOAD, SIZE, E, STORE) \
	LOAD  (SI), Y0; \
	LOAD  (E*SIZE)(SI), Y1; \
	ADDQ  $(2*E*SIZE), SI; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	ADDQ  $64, DI; \
	SUBQ  $(2*E), CX

CONVERT(·convertI8I16, NOP, WIDEN, VPMOVSXBW, 1, 16)
CONVERT(·convertI8I32, NOP, WIDEN, VPMOVSXBD, 1, 8)
CONVERT(·convertI8I64, NOP, WIDEN, VPMOVSXBQ, 1, 4)
CONVERT(·convertI16I32, NOP, WIDEN, VPMOVSXWD, 2, 8)
CONVERT(·convertI16I64, NOP, WIDEN, VPMOVSXWQ, 2, 4)
CONVERT(·convertI32I64, NOP, WIDEN, VPMOVSXDQ, 4, 4)
CONVERT(·convertU8I16, NOP, WIDEN, VPMOVZXBW, 1, 16)
CONVERT(·convertU8I32, NOP, WIDEN, VPMOVZXBD, 1, 8)
CONVERT(·convertU8I64, NOP, WIDEN, VPMOVZXBQ, 1, 4)
CONVERT(·convertU16I32, NOP, WIDEN, VPMOVZXWD, 2, 8)
CONVERT(·convertU16I64, NOP, WIDEN, VPMOVZXWQ, 2, 4)
CONVERT(·convertU32I64, NOP, WIDEN, VPMOVZXDQ, 4, 4)
CONVERT(·convertF32C64, NOP, WIDEN, VPMOVZXDQ, 4, 4)
