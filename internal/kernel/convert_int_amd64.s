//go:build amd64 && !purego && !race

#include "textflag.h"
#include "convert_amd64.h"

// F32I32 makes int32 of 8 floats at AT. VCVTTPS2DQ gives the least int32 for all that
// is out of range: for what is too large, its complement is right, for NaN 0.
#define F32INIT \
	MOVL         $0x4f000000, AX /* 1<<31 */; \
	VMOVD        AX, X15; \
	VPBROADCASTD X15, Y15; \
	BYTEORDER

#define F32LOAD(AT, Y) VMOVUPS (4*(AT))(SI), Y

#define FLOATI32(LOAD, AT, Y) \
	LOAD(AT, Y4); \
	VCMPPS     $0x1d, Y15, Y4, Y5 /* >= */; \
	VCVTTPS2DQ Y4, Y; \
	VCMPPS     $7, Y4, Y4, Y4 /* no NaN */; \
	VPXOR      Y5, Y, Y; \
	VPAND      Y4, Y, Y

#define F32I32(AT, X, Y) FLOATI32(F32LOAD, AT, Y)

// F64I32 makes int32 of 8 floats at AT. If one of them is the least int32, as all that is out of
// range is, they are made again: NaN becomes 0, and all is brought in range, whose ends are
// exact as float64s. The jump counts instructions, since a macro that is used twice has no
// labels.
#define F64INIT \
	MOVQ         $0x41dfffffffc00000, AX /* 1<<31 - 1 */; \
	VMOVQ        AX, X15; \
	VPBROADCASTQ X15, Y15; \
	MOVQ         $0xc1e0000000000000, AX /* -1 << 31 */; \
	VMOVQ        AX, X14; \
	VPBROADCASTQ X14, Y14; \
	VPCMPEQD     Y12, Y12, Y12; \
	VPSLLD       $31, Y12, Y12; \
	BYTEORDER

#define F64LOAD(AT, Y) VMOVUPD (8*(AT))(SI), Y

#define F64I32HALF(LOAD, AT, X) \
	LOAD(AT, Y4); \
	VCMPPD      $7, Y4, Y4, Y5 /* no NaN */; \
	VANDPD      Y5, Y4, Y4; \
	VMINPD      Y15, Y4, Y4; \
	VMAXPD      Y14, Y4, Y4; \
	VCVTTPD2DQY Y4, X

#define DOUBLEI32(LOAD, SKIP, AT, X, Y) \
	LOAD(AT, Y4); \
	LOAD(AT+4, Y6); \
	VCVTTPD2DQY Y4, X; \
	VCVTTPD2DQY Y6, X6; \
	VINSERTI128 $1, X6, Y, Y; \
	VPCMPEQD    Y12, Y, Y4; \
	VPTEST      Y4, Y4; \
	JEQ         SKIP(PC); \
	F64I32HALF(LOAD, AT, X); \
	F64I32HALF(LOAD, AT+4, X6); \
	VINSERTI128 $1, X6, Y, Y

#define F64I32(AT, X, Y) DOUBLEI32(F64LOAD, 14, AT, X, Y)

// Every other float, which are the real parts of complex numbers.
#define C64LOAD(AT, Y) \
	VMOVUPS (8*(AT))(SI), Y; \
	VSHUFPS $0x88, (8*(AT)+32)(SI), Y, Y; \
	VPERMPD $0xd8, Y, Y

#define C128LOAD(AT, Y) \
	VMOVUPD   (16*(AT))(SI), Y; \
	VUNPCKLPD (16*(AT)+32)(SI), Y, Y; \
	VPERMPD   $0xd8, Y, Y

#define C64I32(AT, X, Y) FLOATI32(C64LOAD, AT, Y)
#define C128I32(AT, X, Y) DOUBLEI32(C128LOAD, 18, AT, X, Y)

// BYTEORDER is how PACK1 finds what VPACK, by halves of vectors, has put where.
#define BYTEORDER \
	MOVQ       $0x0703060205010400, AX; \
	VMOVQ      AX, X13; \
	VPMOVZXBD  X13, Y13

#define STORE4(I32, SIZE, C, STORE) \
	I32(0, X0, Y0); \
	I32(8, X1, Y1); \
	ADDQ  $(16*SIZE), SI; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	ADDQ  $64, DI; \
	SUBQ  $16, CX

// PACK1 makes integers of a byte of int32, the nearest there are.
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
CONVERT(·pairsF32I32, F32INIT, STORE4, C64I32, 8, NONE)
CONVERT(·pairsF32I16, F32INIT, PACK2, C64I32, VPACKSSDW, 8)
CONVERT(·pairsF32U16, F32INIT, PACK2, C64I32, VPACKUSDW, 8)
CONVERT(·pairsF32I8, F32INIT, PACK1, C64I32, VPACKSSWB, 8)
CONVERT(·pairsF32U8, F32INIT, PACK1, C64I32, VPACKUSWB, 8)
CONVERT(·pairsF64I32, F64INIT, STORE4, C128I32, 16, NONE)
CONVERT(·pairsF64I16, F64INIT, PACK2, C128I32, VPACKSSDW, 16)
CONVERT(·pairsF64U16, F64INIT, PACK2, C128I32, VPACKUSDW, 16)
CONVERT(·pairsF64I8, F64INIT, PACK1, C128I32, VPACKSSWB, 16)
CONVERT(·pairsF64U8, F64INIT, PACK1, C128I32, VPACKUSWB, 16)

#define F32PAIRSF64(A, B, C, STORE) \
	C64LOAD(0, Y0); \
	ADDQ         $64, SI; \
	VEXTRACTF128 $1, Y0, X1; \
	VCVTPS2PD    X0, Y0; \
	VCVTPS2PD    X1, Y1; \
	STORE        Y0, 0(DI); \
	STORE        Y1, 32(DI); \
	ADDQ         $64, DI; \
	SUBQ         $8, CX

CONVERT(·pairsF32F64, NOP, F32PAIRSF64, NONE, NONE, NONE)

#define F64PAIRSF32(A, B, C, STORE) \
	C128LOAD(0, Y0); \
	C128LOAD(4, Y1); \
	ADDQ        $128, SI; \
	VCVTPD2PSY  Y0, X0; \
	VCVTPD2PSY  Y1, X1; \
	VINSERTF128 $1, X1, Y0, Y0; \
	STORE       Y0, (DI); \
	ADDQ        $32, DI; \
	SUBQ        $8, CX

CONVERT(·pairsF64F32, NOP, F64PAIRSF32, NONE, NONE, NONE)

// WIDEN is for integers of SIZE bytes, of which E become 32 bytes.
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
