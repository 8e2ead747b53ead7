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

#define STORE4(I32, SIZE, STORE) \
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

#define F32TOI32(STORE) STORE4(F32I32, 4, STORE)

// func f32i32(dst, src Pointer, n int, past bool)
TEXT ·f32i32(SB), NOSPLIT, $0-25
	CONVERT(F32INIT, F32TOI32)

#define F32I16(STORE) PACK2(F32I32, VPACKSSDW, 4, STORE)

// func f32i16(dst, src Pointer, n int, past bool)
TEXT ·f32i16(SB), NOSPLIT, $0-25
	CONVERT(F32INIT, F32I16)

#define F32U16(STORE) PACK2(F32I32, VPACKUSDW, 4, STORE)

// func f32u16(dst, src Pointer, n int, past bool)
TEXT ·f32u16(SB), NOSPLIT, $0-25
	CONVERT(F32INIT, F32U16)

#define F32I8(STORE) PACK1(F32I32, VPACKSSWB, 4, STORE)

// func f32i8(dst, src Pointer, n int, past bool)
TEXT ·f32i8(SB), NOSPLIT, $0-25
	CONVERT(F32INIT, F32I8)

#define F32U8(STORE) PACK1(F32I32, VPACKUSWB, 4, STORE)

// func f32u8(dst, src Pointer, n int, past bool)
TEXT ·f32u8(SB), NOSPLIT, $0-25
	CONVERT(F32INIT, F32U8)

#define F64TOI32(STORE) STORE4(F64I32, 8, STORE)

// func f64i32(dst, src Pointer, n int, past bool)
TEXT ·f64i32(SB), NOSPLIT, $0-25
	CONVERT(F64INIT, F64TOI32)

#define F64I16(STORE) PACK2(F64I32, VPACKSSDW, 8, STORE)

// func f64i16(dst, src Pointer, n int, past bool)
TEXT ·f64i16(SB), NOSPLIT, $0-25
	CONVERT(F64INIT, F64I16)

#define F64U16(STORE) PACK2(F64I32, VPACKUSDW, 8, STORE)

// func f64u16(dst, src Pointer, n int, past bool)
TEXT ·f64u16(SB), NOSPLIT, $0-25
	CONVERT(F64INIT, F64U16)

#define F64I8(STORE) PACK1(F64I32, VPACKSSWB, 8, STORE)

// func f64i8(dst, src Pointer, n int, past bool)
TEXT ·f64i8(SB), NOSPLIT, $0-25
	CONVERT(F64INIT, F64I8)

#define F64U8(STORE) PACK1(F64I32, VPACKUSWB, 8, STORE)

// func f64u8(dst, src Pointer, n int, past bool)
TEXT ·f64u8(SB), NOSPLIT, $0-25
	CONVERT(F64INIT, F64U8)

#define F32PAIRSI32(STORE) STORE4(C64I32, 8, STORE)

// func f32PairsI32(dst, src Pointer, n int, past bool)
TEXT ·f32PairsI32(SB), NOSPLIT, $0-25
	CONVERT(F32INIT, F32PAIRSI32)

#define F32PAIRSI16(STORE) PACK2(C64I32, VPACKSSDW, 8, STORE)

// func f32PairsI16(dst, src Pointer, n int, past bool)
TEXT ·f32PairsI16(SB), NOSPLIT, $0-25
	CONVERT(F32INIT, F32PAIRSI16)

#define F32PAIRSU16(STORE) PACK2(C64I32, VPACKUSDW, 8, STORE)

// func f32PairsU16(dst, src Pointer, n int, past bool)
TEXT ·f32PairsU16(SB), NOSPLIT, $0-25
	CONVERT(F32INIT, F32PAIRSU16)

#define F32PAIRSI8(STORE) PACK1(C64I32, VPACKSSWB, 8, STORE)

// func f32PairsI8(dst, src Pointer, n int, past bool)
TEXT ·f32PairsI8(SB), NOSPLIT, $0-25
	CONVERT(F32INIT, F32PAIRSI8)

#define F32PAIRSU8(STORE) PACK1(C64I32, VPACKUSWB, 8, STORE)

// func f32PairsU8(dst, src Pointer, n int, past bool)
TEXT ·f32PairsU8(SB), NOSPLIT, $0-25
	CONVERT(F32INIT, F32PAIRSU8)

#define F64PAIRSI32(STORE) STORE4(C128I32, 16, STORE)

// func f64PairsI32(dst, src Pointer, n int, past bool)
TEXT ·f64PairsI32(SB), NOSPLIT, $0-25
	CONVERT(F64INIT, F64PAIRSI32)

#define F64PAIRSI16(STORE) PACK2(C128I32, VPACKSSDW, 16, STORE)

// func f64PairsI16(dst, src Pointer, n int, past bool)
TEXT ·f64PairsI16(SB), NOSPLIT, $0-25
	CONVERT(F64INIT, F64PAIRSI16)

#define F64PAIRSU16(STORE) PACK2(C128I32, VPACKUSDW, 16, STORE)

// func f64PairsU16(dst, src Pointer, n int, past bool)
TEXT ·f64PairsU16(SB), NOSPLIT, $0-25
	CONVERT(F64INIT, F64PAIRSU16)

#define F64PAIRSI8(STORE) PACK1(C128I32, VPACKSSWB, 16, STORE)

// func f64PairsI8(dst, src Pointer, n int, past bool)
TEXT ·f64PairsI8(SB), NOSPLIT, $0-25
	CONVERT(F64INIT, F64PAIRSI8)

#define F64PAIRSU8(STORE) PACK1(C128I32, VPACKUSWB, 16, STORE)

// func f64PairsU8(dst, src Pointer, n int, past bool)
TEXT ·f64PairsU8(SB), NOSPLIT, $0-25
	CONVERT(F64INIT, F64PAIRSU8)

#define F32PAIRSF64(STORE) \
	C64LOAD(0, Y0); \
	ADDQ         $64, SI; \
	VEXTRACTF128 $1, Y0, X1; \
	VCVTPS2PD    X0, Y0; \
	VCVTPS2PD    X1, Y1; \
	STORE        Y0, 0(DI); \
	STORE        Y1, 32(DI); \
	ADDQ         $64, DI; \
	SUBQ         $8, CX

// func f32PairsF64(dst, src Pointer, n int, past bool)
TEXT ·f32PairsF64(SB), NOSPLIT, $0-25
	CONVERT(NOP, F32PAIRSF64)

#define F64PAIRSF32(STORE) \
	C128LOAD(0, Y0); \
	C128LOAD(4, Y1); \
	ADDQ        $128, SI; \
	VCVTPD2PSY  Y0, X0; \
	VCVTPD2PSY  Y1, X1; \
	VINSERTF128 $1, X1, Y0, Y0; \
	STORE       Y0, (DI); \
	ADDQ        $32, DI; \
	SUBQ        $8, CX

// func f64PairsF32(dst, src Pointer, n int, past bool)
TEXT ·f64PairsF32(SB), NOSPLIT, $0-25
	CONVERT(NOP, F64PAIRSF32)

// WIDEN is for integers of SIZE bytes, of which E become 32 bytes.
#define WIDEN(LOAD, SIZE, E, STORE) \
	LOAD  (SI), Y0; \
	LOAD  (E*SIZE)(SI), Y1; \
	ADDQ  $(2*E*SIZE), SI; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	ADDQ  $64, DI; \
	SUBQ  $(2*E), CX

#define I8W16(STORE) WIDEN(VPMOVSXBW, 1, 16, STORE)

// func i8w16(dst, src Pointer, n int, past bool)
TEXT ·i8w16(SB), NOSPLIT, $0-25
	CONVERT(NOP, I8W16)

#define I8W32(STORE) WIDEN(VPMOVSXBD, 1, 8, STORE)

// func i8w32(dst, src Pointer, n int, past bool)
TEXT ·i8w32(SB), NOSPLIT, $0-25
	CONVERT(NOP, I8W32)

#define I8W64(STORE) WIDEN(VPMOVSXBQ, 1, 4, STORE)

// func i8w64(dst, src Pointer, n int, past bool)
TEXT ·i8w64(SB), NOSPLIT, $0-25
	CONVERT(NOP, I8W64)

#define I16W32(STORE) WIDEN(VPMOVSXWD, 2, 8, STORE)

// func i16w32(dst, src Pointer, n int, past bool)
TEXT ·i16w32(SB), NOSPLIT, $0-25
	CONVERT(NOP, I16W32)

#define I16W64(STORE) WIDEN(VPMOVSXWQ, 2, 4, STORE)

// func i16w64(dst, src Pointer, n int, past bool)
TEXT ·i16w64(SB), NOSPLIT, $0-25
	CONVERT(NOP, I16W64)

#define I32W64(STORE) WIDEN(VPMOVSXDQ, 4, 4, STORE)

// func i32w64(dst, src Pointer, n int, past bool)
TEXT ·i32w64(SB), NOSPLIT, $0-25
	CONVERT(NOP, I32W64)

#define U8W16(STORE) WIDEN(VPMOVZXBW, 1, 16, STORE)

// func u8w16(dst, src Pointer, n int, past bool)
TEXT ·u8w16(SB), NOSPLIT, $0-25
	CONVERT(NOP, U8W16)

#define U8W32(STORE) WIDEN(VPMOVZXBD, 1, 8, STORE)

// func u8w32(dst, src Pointer, n int, past bool)
TEXT ·u8w32(SB), NOSPLIT, $0-25
	CONVERT(NOP, U8W32)

#define U8W64(STORE) WIDEN(VPMOVZXBQ, 1, 4, STORE)

// func u8w64(dst, src Pointer, n int, past bool)
TEXT ·u8w64(SB), NOSPLIT, $0-25
	CONVERT(NOP, U8W64)

#define U16W32(STORE) WIDEN(VPMOVZXWD, 2, 8, STORE)

// func u16w32(dst, src Pointer, n int, past bool)
TEXT ·u16w32(SB), NOSPLIT, $0-25
	CONVERT(NOP, U16W32)

#define U16W64(STORE) WIDEN(VPMOVZXWQ, 2, 4, STORE)

// func u16w64(dst, src Pointer, n int, past bool)
TEXT ·u16w64(SB), NOSPLIT, $0-25
	CONVERT(NOP, U16W64)

#define U32W64(STORE) WIDEN(VPMOVZXDQ, 4, 4, STORE)

// func u32w64(dst, src Pointer, n int, past bool)
TEXT ·u32w64(SB), NOSPLIT, $0-25
	CONVERT(NOP, U32W64)
