//go:build amd64 && !purego && !race

#include "textflag.h"
#include "convert_amd64.h"

// Conversions that AVX2 has no instruction for: of booleans, of 64-bit integers and
// unsigned ones of 32 bits. A number below 1<<52 is the low bits of the float64 that is
// 1<<52 more, so adding and or-ing that, which is 0x4330<<48, converts one to the other.

#define BROADCAST(BITS, X, Y) \
	MOVQ         $BITS, AX; \
	VMOVQ        AX, X; \
	VPBROADCASTQ X, Y

#define ONES \
	MOVQ         $0x0101010101010101, AX; \
	VMOVQ        AX, X15; \
	VPBROADCASTQ X15, Y15

// CLEAN makes bytes 0 or 1.
#define CLEAN(STORE) \
	VMOVDQU (SI), Y0; \
	ADDQ    $32, SI; \
	VPMINUB Y15, Y0, Y0; \
	STORE   Y0, (DI); \
	ADDQ    $32, DI; \
	SUBQ    $32, CX

TEXT ·convertBoolBool(SB), NOSPLIT, $0-40
	CONVERT(ONES, CLEAN)

// Numbers are true if they are not zero. PART shifts the sign out of floats, since -0 is
// false; every other bit of a float makes it true.
#define TESTINIT \
	ONES; \
	VPXOR      Y14, Y14, Y14; \
	MOVQ       $0x0703060205010400, AX; \
	VMOVQ      AX, X13; \
	VPMOVZXBD  X13, Y13

#define INTPART(SHIFT, Y)
#define FLOATPART(SHIFT, Y) SHIFT $1, Y, Y

#define TEST2(PART, STORE) \
	VMOVDQU   0(SI), Y0; \
	VMOVDQU   32(SI), Y1; \
	ADDQ      $64, SI; \
	PART(VPSLLW, Y0); \
	PART(VPSLLW, Y1); \
	VPCMPEQW  Y14, Y0, Y0; \
	VPCMPEQW  Y14, Y1, Y1; \
	VPACKSSWB Y1, Y0, Y0; \
	VPERMQ    $0xd8, Y0, Y0; \
	VPADDB    Y15, Y0, Y0; \
	STORE     Y0, (DI); \
	ADDQ      $32, DI; \
	SUBQ      $32, CX

#define TEST4ONE(AT, PART, Y) \
	VMOVDQU  (AT)(SI), Y; \
	PART(VPSLLD, Y); \
	VPCMPEQD Y14, Y, Y

#define TEST4(PART, STORE) \
	TEST4ONE(0, PART, Y0); \
	TEST4ONE(32, PART, Y1); \
	TEST4ONE(64, PART, Y2); \
	TEST4ONE(96, PART, Y3); \
	ADDQ      $128, SI; \
	VPACKSSDW Y1, Y0, Y0; \
	VPACKSSDW Y3, Y2, Y2; \
	VPACKSSWB Y2, Y0, Y0; \
	VPERMD    Y0, Y13, Y0; \
	VPADDB    Y15, Y0, Y0; \
	STORE     Y0, (DI); \
	ADDQ      $32, DI; \
	SUBQ      $32, CX

#define TEST8ONE(AT, PART, Y) \
	VMOVDQU  (AT)(SI), Y; \
	PART(VPSLLQ, Y); \
	VPCMPEQQ Y14, Y, Y

// TEST8PACK makes the masks of 8 numbers at AT those of 8 double words.
#define TEST8PACK(AT, PART, YA, YB) \
	TEST8ONE(AT, PART, YA); \
	TEST8ONE(AT+32, PART, YB); \
	VPACKSSDW YB, YA, YA

#define TEST8(PART, STORE) \
	TEST8PACK(0, PART, Y0, Y8); \
	TEST8PACK(64, PART, Y1, Y9); \
	TEST8PACK(128, PART, Y2, Y10); \
	TEST8PACK(192, PART, Y3, Y11); \
	ADDQ         $256, SI; \
	VPACKSSDW    Y1, Y0, Y0; \
	VPACKSSDW    Y3, Y2, Y2; \
	VPACKSSWB    Y2, Y0, Y0; \
	VEXTRACTI128 $1, Y0, X1; \
	VPUNPCKLWD   X1, X0, X2; \
	VPUNPCKHWD   X1, X0, X3; \
	VINSERTI128  $1, X3, Y2, Y2; \
	VPADDB       Y15, Y2, Y2; \
	STORE        Y2, (DI); \
	ADDQ         $32, DI; \
	SUBQ         $32, CX

#define INT2(STORE) TEST2(INTPART, STORE)

TEXT ·convertI16Bool(SB), NOSPLIT, $0-40
	CONVERT(TESTINIT, INT2)

#define FLOAT2(STORE) TEST2(FLOATPART, STORE)

TEXT ·convertF16Bool(SB), NOSPLIT, $0-40
	CONVERT(TESTINIT, FLOAT2)

#define INT4(STORE) TEST4(INTPART, STORE)

TEXT ·convertI32Bool(SB), NOSPLIT, $0-40
	CONVERT(TESTINIT, INT4)

#define FLOAT4(STORE) TEST4(FLOATPART, STORE)

TEXT ·convertF32Bool(SB), NOSPLIT, $0-40
	CONVERT(TESTINIT, FLOAT4)

#define INT8(STORE) TEST8(INTPART, STORE)

TEXT ·convertI64Bool(SB), NOSPLIT, $0-40
	CONVERT(TESTINIT, INT8)

#define FLOAT8(STORE) TEST8(FLOATPART, STORE)

TEXT ·convertF64Bool(SB), NOSPLIT, $0-40
	CONVERT(TESTINIT, FLOAT8)

// EIGHT converts 8 numbers of SIZE bytes with ONE, 4 at a time, to 8 of 8 bytes.
#define EIGHT(ONE, SIZE, STORE) \
	ONE(0, Y0); \
	ONE(4*SIZE, Y1); \
	ADDQ  $(8*SIZE), SI; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	ADDQ  $64, DI; \
	SUBQ  $8, CX

#define U32F64INIT \
	BROADCAST(0x4330000000000000, X15, Y15)

#define U32F64ONE(AT, Y) \
	VPMOVZXDQ (AT)(SI), Y; \
	VPOR      Y15, Y, Y; \
	VSUBPD    Y15, Y, Y

#define U32F64(STORE) EIGHT(U32F64ONE, 4, STORE)

TEXT ·convertU32F64(SB), NOSPLIT, $0-40
	CONVERT(U32F64INIT, U32F64)

// The high half of a 64-bit integer is the low bits of a float64 of 1<<84, in units of
// 1<<32. What is subtracted from that is exact; the sum of the halves is rounded once.
#define I64F64INIT \
	BROADCAST(0x4330000000000000, X15, Y15) /* 1<<52 */; \
	BROADCAST(0x4530000080000000, X14, Y14) /* 1<<84, and the sign turned */; \
	BROADCAST(0x4530000080100000, X13, Y13) /* 1<<84 + 1<<63 + 1<<52 */

#define U64F64INIT \
	BROADCAST(0x4330000000000000, X15, Y15); \
	BROADCAST(0x4530000000000000, X14, Y14); \
	BROADCAST(0x4530000000100000, X13, Y13)

#define I64F64ONE(AT, Y) \
	VMOVDQU  (AT)(SI), Y; \
	VPBLENDD $0x55, Y, Y15, Y4; \
	VPSRLQ   $32, Y, Y; \
	VPXOR    Y14, Y, Y; \
	VSUBPD   Y13, Y, Y; \
	VADDPD   Y4, Y, Y

#define I64F64(STORE) EIGHT(I64F64ONE, 8, STORE)

TEXT ·convertI64F64(SB), NOSPLIT, $0-40
	CONVERT(I64F64INIT, I64F64)

TEXT ·convertU64F64(SB), NOSPLIT, $0-40
	CONVERT(U64F64INIT, I64F64)

// Integers of fewer than 52 bits are exact as float64s, which VCVTPD2PSY rounds to float32. A
// group of 8 with a larger one is converted one by one. The argument past is ignored.
#define LONGF32(BIAS, MAGIC, ONE) \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	ANDQ $-32, CX; \
	MOVQ CX, done+32(FP); \
	JZ   none; \
	BROADCAST(BIAS, X13, Y13); \
	BROADCAST(MAGIC, X15, Y15); \
	BROADCAST(0xfff0000000000000, X14, Y14); \
loop: \
	VMOVDQU 0(SI), Y0; \
	VMOVDQU 32(SI), Y1; \
	VPADDQ  Y13, Y0, Y2; \
	VPADDQ  Y13, Y1, Y3; \
	VPOR    Y3, Y2, Y2; \
	VPTEST  Y14, Y2; \
	JNE     long; \
	VPADDQ  Y15, Y0, Y0; \
	VPADDQ  Y15, Y1, Y1; \
	VSUBPD  Y15, Y0, Y0; \
	VSUBPD  Y15, Y1, Y1; \
	VCVTPD2PSY Y0, X0; \
	VCVTPD2PSY Y1, X1; \
	VMOVUPS X0, 0(DI); \
	VMOVUPS X1, 16(DI); \
	ADDQ    $64, SI; \
	ADDQ    $32, DI; \
	SUBQ    $8, CX; \
	JNZ     loop; \
	VZEROUPPER; \
	RET; \
long: \
	MOVQ    $8, BX; \
one: \
	MOVQ    (SI), AX; \
	VXORPS  X0, X0, X0; \
	ONE; \
	VMOVSS  X0, (DI); \
	ADDQ    $8, SI; \
	ADDQ    $4, DI; \
	DECQ    BX; \
	JNZ     one; \
	SUBQ    $8, CX; \
	JNZ     loop; \
	VZEROUPPER; \
none: \
	RET

#define SIGNEDF32 VCVTSI2SSQ AX, X0, X0

// Numbers of 1<<63 and more are halved, converted and doubled. The bit that is shifted out
// stays as the lowest one, so that the rounding is the same.
#define UNSIGNEDF32 \
	TESTQ      AX, AX; \
	JMI        large; \
	VCVTSI2SSQ AX, X0, X0; \
	JMP        stored; \
large: \
	MOVQ       AX, DX; \
	SHRQ       $1, AX; \
	ANDQ       $1, DX; \
	ORQ        DX, AX; \
	VCVTSI2SSQ AX, X0, X0; \
	VADDSS     X0, X0, X0; \
stored:

TEXT ·convertI64F32(SB), NOSPLIT, $0-40
	LONGF32(0x0008000000000000, 0x4338000000000000, SIGNEDF32)

TEXT ·convertU64F32(SB), NOSPLIT, $0-40
	LONGF32(0, 0x4330000000000000, UNSIGNEDF32)

#define F64U32INIT \
	BROADCAST(0x4330000000000000, X15, Y15) /* 1<<52 */; \
	BROADCAST(0x41efffffffe00000, X14, Y14) /* 1<<32 - 1 */; \
	VPXOR Y13, Y13, Y13

// F64U32ONE has integers in the low halves: NaN becomes 0, and all is brought in range.
#define F64U32ONE(AT, Y) \
	VMOVUPD  (AT)(SI), Y; \
	VCMPPD   $7, Y, Y, Y4 /* no NaN */; \
	VANDPD   Y4, Y, Y; \
	VMINPD   Y14, Y, Y; \
	VMAXPD   Y13, Y, Y; \
	VROUNDPD $3, Y, Y; \
	VADDPD   Y15, Y, Y

#define F64U32(STORE) \
	F64U32ONE(0, Y0); \
	F64U32ONE(32, Y1); \
	ADDQ    $64, SI; \
	VSHUFPS $0x88, Y1, Y0, Y0; \
	VPERMQ  $0xd8, Y0, Y0; \
	STORE   Y0, (DI); \
	ADDQ    $32, DI; \
	SUBQ    $8, CX

TEXT ·convertF64U32(SB), NOSPLIT, $0-40
	CONVERT(F64U32INIT, F64U32)

#define F32U32INIT \
	MOVL         $0x4f000000, AX /* 1<<31 */; \
	VMOVD        AX, X15; \
	VPBROADCASTD X15, Y15; \
	MOVL         $0x4f800000, AX /* 1<<32 */; \
	VMOVD        AX, X14; \
	VPBROADCASTD X14, Y14; \
	VPXOR        Y13, Y13, Y13

// F32U32ONE takes 1<<31 from what is not below that, and adds it to the integer. NaN
// and what is below 0 become 0.
#define F32U32ONE(AT, Y) \
	VMOVUPS    (AT)(SI), Y; \
	VMAXPS     Y13, Y, Y; \
	VCMPPS     $0x1d, Y15, Y, Y4 /* >= */; \
	VCMPPS     $0x1d, Y14, Y, Y5; \
	VANDPS     Y15, Y4, Y6; \
	VSUBPS     Y6, Y, Y; \
	VCVTTPS2DQ Y, Y; \
	VPSLLD     $31, Y4, Y4; \
	VPXOR      Y4, Y, Y; \
	VPOR       Y5, Y, Y

#define F32U32(STORE) \
	F32U32ONE(0, Y0); \
	F32U32ONE(32, Y1); \
	ADDQ  $64, SI; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	ADDQ  $64, DI; \
	SUBQ  $16, CX

TEXT ·convertF32U32(SB), NOSPLIT, $0-40
	CONVERT(F32U32INIT, F32U32)

// A float64 is cut to an integer, and that in two halves, each of which is exact. What
// is too large is brought in range, and found again by the mask in Y5.
#define F64I64INIT \
	BROADCAST(0x3df0000000000000, X15, Y15) /* 1/(1<<32) */; \
	BROADCAST(0x41f0000000000000, X14, Y14) /* 1<<32 */; \
	BROADCAST(0x4338000000000000, X13, Y13) /* 1<<52 + 1<<51, for either sign */; \
	BROADCAST(0x43e0000000000000, X12, Y12) /* 1<<63 */; \
	BROADCAST(0x43dfffffffffffff, X11, Y11) /* the greatest below that */; \
	BROADCAST(0xc3e0000000000000, X10, Y10) /* -1 << 63 */; \
	BROADCAST(0x7fffffffffffffff, X9, Y9) /* the greatest integer */; \
	VMOVAPD Y9, Y8 /* all but the sign */; \
	BROADCAST(0x4320000000000000, X7, Y7) /* 1<<51 */

#define F64U64INIT \
	BROADCAST(0x3df0000000000000, X15, Y15); \
	BROADCAST(0x41f0000000000000, X14, Y14); \
	BROADCAST(0x4338000000000000, X13, Y13); \
	BROADCAST(0x43f0000000000000, X12, Y12); \
	BROADCAST(0x43efffffffffffff, X11, Y11); \
	VPXOR    Y10, Y10, Y10; \
	VPCMPEQQ Y9, Y9, Y9; \
	VMOVAPD  Y9, Y8; \
	BROADCAST(0x4320000000000000, X7, Y7)

#define F64I64ONE(LOAD, AT, Y) \
	LOAD      (AT)(SI), Y; \
	VCMPPD    $7, Y, Y, Y4 /* no NaN */; \
	VCMPPD    $0x1d, Y12, Y, Y5 /* >= */; \
	VANDPD    Y4, Y, Y; \
	VMINPD    Y11, Y, Y; \
	VMAXPD    Y10, Y, Y; \
	VROUNDPD  $3, Y, Y; \
	VMULPD    Y15, Y, Y4; \
	VROUNDPD  $1, Y4, Y4; \
	VMULPD    Y14, Y4, Y6; \
	VSUBPD    Y6, Y, Y; \
	VADDPD    Y13, Y4, Y4; \
	VADDPD    Y13, Y, Y; \
	VPSLLQ    $32, Y4, Y4; \
	VPBLENDD  $0xaa, Y4, Y, Y; \
	VBLENDVPD Y5, Y9, Y, Y

// Numbers below 1<<51 are integers in the low bits of their sums with Y13. If one of 8 is
// not, or is negative and must not be, the jump is to F64I64ONE; the jumps count
// instructions, since a macro that is used twice has no labels. LOAD makes float64s of floats
// of SIZE bytes.
#define FLOATI64(LOAD, SIZE, STORE) \
	LOAD      0(SI), Y0; \
	LOAD      (4*SIZE)(SI), Y1; \
	VANDPD    Y8, Y0, Y2; \
	VANDPD    Y8, Y1, Y3; \
	VCMPPD    $5, Y7, Y2, Y4 /* not less */; \
	VCMPPD    $5, Y7, Y3, Y5; \
	VORPD     Y4, Y2, Y2; \
	VORPD     Y5, Y3, Y3; \
	VORPD     Y3, Y2, Y2; \
	VMOVMSKPD Y2, AX; \
	TESTL     AX, AX; \
	JNE       8(PC); \
	VROUNDPD  $3, Y0, Y0; \
	VROUNDPD  $3, Y1, Y1; \
	VADDPD    Y13, Y0, Y0; \
	VADDPD    Y13, Y1, Y1; \
	VPSUBQ    Y13, Y0, Y0; \
	VPSUBQ    Y13, Y1, Y1; \
	JMP       33(PC); \
	F64I64ONE(LOAD, 0, Y0); \
	F64I64ONE(LOAD, 4*SIZE, Y1); \
	ADDQ      $(8*SIZE), SI; \
	STORE     Y0, 0(DI); \
	STORE     Y1, 32(DI); \
	ADDQ      $64, DI; \
	SUBQ      $8, CX

#define F64I64(STORE) FLOATI64(VMOVUPD, 8, STORE)
#define F32I64(STORE) FLOATI64(VCVTPS2PD, 4, STORE)

TEXT ·convertF64I64(SB), NOSPLIT, $0-40
	CONVERT(F64I64INIT, F64I64)

TEXT ·convertF64U64(SB), NOSPLIT, $0-40
	CONVERT(F64U64INIT, F64I64)

TEXT ·convertF32I64(SB), NOSPLIT, $0-40
	CONVERT(F64I64INIT, F32I64)

TEXT ·convertF32U64(SB), NOSPLIT, $0-40
	CONVERT(F64U64INIT, F32I64)

// Both halves of 16 bits are exact as float32s, and so is the high one times 1<<16: only their
// sum is rounded.
#define U32F32INIT \
	MOVL         $0xffff, AX; \
	VMOVD        AX, X15; \
	VPBROADCASTD X15, Y15; \
	MOVL         $0x47800000, AX /* 1<<16 */; \
	VMOVD        AX, X14; \
	VPBROADCASTD X14, Y14

#define U32F32ONE(AT, Y) \
	VMOVDQU   (AT)(SI), Y; \
	VPSRLD    $16, Y, Y4; \
	VPAND     Y15, Y, Y; \
	VCVTDQ2PS Y4, Y4; \
	VCVTDQ2PS Y, Y; \
	VMULPS    Y14, Y4, Y4; \
	VADDPS    Y4, Y, Y

#define U32F32(STORE) \
	U32F32ONE(0, Y0); \
	U32F32ONE(32, Y1); \
	ADDQ  $64, SI; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	ADDQ  $64, DI; \
	SUBQ  $16, CX

TEXT ·convertU32F32(SB), NOSPLIT, $0-40
	CONVERT(U32F32INIT, U32F32)

#define WIDEN16INIT VPXOR Y15, Y15, Y15

#define WIDEN16(STORE) \
	VPERMQ     $0xd8, (SI), Y0; \
	ADDQ       $32, SI; \
	VPUNPCKLQDQ Y15, Y0, Y1; \
	VPUNPCKHQDQ Y15, Y0, Y2; \
	STORE      Y1, 0(DI); \
	STORE      Y2, 32(DI); \
	ADDQ       $64, DI; \
	SUBQ       $4, CX

TEXT ·convertF64C128(SB), NOSPLIT, $0-40
	CONVERT(WIDEN16INIT, WIDEN16)

// FLAGS widens booleans with EXTEND and makes their lowest bytes 0 or 1; the others are 0.
#define FLAGS(EXTEND, E, STORE) \
	EXTEND  (SI), Y0; \
	EXTEND  E(SI), Y1; \
	ADDQ    $(2*E), SI; \
	VPMINUB Y15, Y0, Y0; \
	VPMINUB Y15, Y1, Y1; \
	STORE   Y0, 0(DI); \
	STORE   Y1, 32(DI); \
	ADDQ    $64, DI; \
	SUBQ    $(2*E), CX

#define BOOLW16(STORE) FLAGS(VPMOVZXBW, 16, STORE)

TEXT ·convertBoolI16(SB), NOSPLIT, $0-40
	CONVERT(ONES, BOOLW16)

#define BOOLW32(STORE) FLAGS(VPMOVZXBD, 8, STORE)

TEXT ·convertBoolI32(SB), NOSPLIT, $0-40
	CONVERT(ONES, BOOLW32)

#define BOOLW64(STORE) FLAGS(VPMOVZXBQ, 4, STORE)

TEXT ·convertBoolI64(SB), NOSPLIT, $0-40
	CONVERT(ONES, BOOLW64)

#define BOOLF32(STORE) \
	VPMOVZXBD (SI), Y0; \
	ADDQ      $8, SI; \
	VPMINUB   Y15, Y0, Y0; \
	VCVTDQ2PS Y0, Y0; \
	STORE     Y0, (DI); \
	ADDQ      $32, DI; \
	SUBQ      $8, CX

TEXT ·convertBoolF32(SB), NOSPLIT, $0-40
	CONVERT(ONES, BOOLF32)

#define BOOLF64(STORE) \
	VPMOVZXBD (SI), X0; \
	ADDQ      $4, SI; \
	VPMINUB   X15, X0, X0; \
	VCVTDQ2PD X0, Y0; \
	STORE     Y0, (DI); \
	ADDQ      $32, DI; \
	SUBQ      $4, CX

TEXT ·convertBoolF64(SB), NOSPLIT, $0-40
	CONVERT(ONES, BOOLF64)

// A complex number is a float and a zero. TOC64 makes float32s of 8 integers of SIZE bytes.
#define TOC64(LOAD, SIZE, STORE) \
	LOAD         (SI), Y0; \
	ADDQ         $(8*SIZE), SI; \
	VCVTDQ2PS    Y0, Y0; \
	VPMOVZXDQ    X0, Y1; \
	VEXTRACTI128 $1, Y0, X0; \
	VPMOVZXDQ    X0, Y0; \
	STORE        Y1, 0(DI); \
	STORE        Y0, 32(DI); \
	ADDQ         $64, DI; \
	SUBQ         $8, CX

#define I8C64(STORE) TOC64(VPMOVSXBD, 1, STORE)

TEXT ·convertI8C64(SB), NOSPLIT, $0-40
	CONVERT(NOP, I8C64)

#define U8C64(STORE) TOC64(VPMOVZXBD, 1, STORE)

TEXT ·convertU8C64(SB), NOSPLIT, $0-40
	CONVERT(NOP, U8C64)

#define I16C64(STORE) TOC64(VPMOVSXWD, 2, STORE)

TEXT ·convertI16C64(SB), NOSPLIT, $0-40
	CONVERT(NOP, I16C64)

#define U16C64(STORE) TOC64(VPMOVZXWD, 2, STORE)

TEXT ·convertU16C64(SB), NOSPLIT, $0-40
	CONVERT(NOP, U16C64)

#define I32C64(STORE) TOC64(VMOVDQU, 4, STORE)

TEXT ·convertI32C64(SB), NOSPLIT, $0-40
	CONVERT(NOP, I32C64)

// TOC128 makes float64s of 4 numbers of SIZE bytes.
#define TOC128(LOAD, STEP, SIZE, STORE) \
	LOAD        (SI), X0; \
	ADDQ        $(4*SIZE), SI; \
	STEP        X0, Y0; \
	VPERMQ      $0xd8, Y0, Y0; \
	VPUNPCKLQDQ Y15, Y0, Y1; \
	VPUNPCKHQDQ Y15, Y0, Y2; \
	STORE       Y1, 0(DI); \
	STORE       Y2, 32(DI); \
	ADDQ        $64, DI; \
	SUBQ        $4, CX

#define I8C128(STORE) TOC128(VPMOVSXBD, VCVTDQ2PD, 1, STORE)

TEXT ·convertI8C128(SB), NOSPLIT, $0-40
	CONVERT(WIDEN16INIT, I8C128)

#define U8C128(STORE) TOC128(VPMOVZXBD, VCVTDQ2PD, 1, STORE)

TEXT ·convertU8C128(SB), NOSPLIT, $0-40
	CONVERT(WIDEN16INIT, U8C128)

#define I16C128(STORE) TOC128(VPMOVSXWD, VCVTDQ2PD, 2, STORE)

TEXT ·convertI16C128(SB), NOSPLIT, $0-40
	CONVERT(WIDEN16INIT, I16C128)

#define U16C128(STORE) TOC128(VPMOVZXWD, VCVTDQ2PD, 2, STORE)

TEXT ·convertU16C128(SB), NOSPLIT, $0-40
	CONVERT(WIDEN16INIT, U16C128)

#define I32C128(STORE) TOC128(VMOVDQU, VCVTDQ2PD, 4, STORE)

TEXT ·convertI32C128(SB), NOSPLIT, $0-40
	CONVERT(WIDEN16INIT, I32C128)

#define F32C128(STORE) TOC128(VMOVUPS, VCVTPS2PD, 4, STORE)

TEXT ·convertF32C128(SB), NOSPLIT, $0-40
	CONVERT(WIDEN16INIT, F32C128)
