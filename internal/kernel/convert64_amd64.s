//go:build amd64 && !purego && !race

#include "textflag.h"
#include "convert_amd64.h"

// Conversions that AVX2 has no instruction for: of booleans, of 64-bit integers and
// unsigned ones of 32 bits. A number below 1<<52 is the low bits of the float64 that is
// 1<<52 more, so adding and or-ing that, which is 0x4330<<48, converts one to the other.

#define ONES BROADCAST(0x0101010101010101, X15, Y15)

// CLEAN makes bytes 0 or 1.
#define CLEAN(A, B, C, STORE) \
	VMOVDQU (SI), Y0; \
	ADDQ    $32, SI; \
	VPMINUB Y15, Y0, Y0; \
	STORE   Y0, (DI); \
	ADDQ    $32, DI; \
	SUBQ    $32, CX

CONVERT(·cleanBools, ONES, CLEAN, NONE, NONE, NONE)

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

#define TEST2(PART, B, C, STORE) \
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

#define TEST4(PART, B, C, STORE) \
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

#define TEST8(PART, B, C, STORE) \
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

CONVERT(·convertI16Bool, TESTINIT, TEST2, INTPART, NONE, NONE)
CONVERT(·convertF16Bool, TESTINIT, TEST2, FLOATPART, NONE, NONE)
CONVERT(·convertI32Bool, TESTINIT, TEST4, INTPART, NONE, NONE)
CONVERT(·convertF32Bool, TESTINIT, TEST4, FLOATPART, NONE, NONE)
CONVERT(·convertI64Bool, TESTINIT, TEST8, INTPART, NONE, NONE)
CONVERT(·convertF64Bool, TESTINIT, TEST8, FLOATPART, NONE, NONE)

// EIGHT converts 8 numbers of SIZE bytes with ONE, 4 at a time, to 8 of 8 bytes.
#define EIGHT(ONE, SIZE, C, STORE) \
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

CONVERT(·convertU32F64, U32F64INIT, EIGHT, U32F64ONE, 4, NONE)

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

CONVERT(·convertI64F64, I64F64INIT, EIGHT, I64F64ONE, 8, NONE)
CONVERT(·convertU64F64, U64F64INIT, EIGHT, I64F64ONE, 8, NONE)

// Integers of fewer than 52 bits are exact as float64s, which VCVTPD2PSY rounds to float32. A
// group of 8 with a larger one is converted one by one. The argument nonTemporal is ignored.
#define LONGF32(NAME, BIAS, MAGIC, ONE) \
TEXT NAME(SB), NOSPLIT, $0-40; \
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

LONGF32(·convertI64F32, 0x0008000000000000, 0x4338000000000000, SIGNEDF32)

LONGF32(·convertU64F32, 0, 0x4330000000000000, UNSIGNEDF32)

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

#define F64U32(A, B, C, STORE) \
	F64U32ONE(0, Y0); \
	F64U32ONE(32, Y1); \
	ADDQ    $64, SI; \
	VSHUFPS $0x88, Y1, Y0, Y0; \
	VPERMQ  $0xd8, Y0, Y0; \
	STORE   Y0, (DI); \
	ADDQ    $32, DI; \
	SUBQ    $8, CX

CONVERT(·convertF64U32, F64U32INIT, F64U32, NONE, NONE, NONE)

#define F32U32INIT \
	ALL(0x4f000000, X15, Y15) /* 1<<31 */; \
	ALL(0x4f800000, X14, Y14) /* 1<<32 */; \
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

#define F32U32(A, B, C, STORE) \
	F32U32ONE(0, Y0); \
	F32U32ONE(32, Y1); \
	ADDQ  $64, SI; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	ADDQ  $64, DI; \
	SUBQ  $16, CX

CONVERT(·convertF32U32, F32U32INIT, F32U32, NONE, NONE, NONE)

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
#define FLOATI64(LOAD, SIZE, C, STORE) \
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

CONVERT(·convertF64I64, F64I64INIT, FLOATI64, VMOVUPD, 8, NONE)
CONVERT(·convertF64U64, F64U64INIT, FLOATI64, VMOVUPD, 8, NONE)
CONVERT(·convertF32I64, F64I64INIT, FLOATI64, VCVTPS2PD, 4, NONE)
CONVERT(·convertF32U64, F64U64INIT, FLOATI64, VCVTPS2PD, 4, NONE)

// Both halves of 16 bits are exact as float32s, and so is the high one times 1<<16: only their
// sum is rounded.
#define U32F32INIT \
	ALL(0xffff, X15, Y15); \
	ALL(0x47800000, X14, Y14) /* 1<<16 */

#define U32F32ONE(AT, Y) \
	VMOVDQU   (AT)(SI), Y; \
	VPSRLD    $16, Y, Y4; \
	VPAND     Y15, Y, Y; \
	VCVTDQ2PS Y4, Y4; \
	VCVTDQ2PS Y, Y; \
	VMULPS    Y14, Y4, Y4; \
	VADDPS    Y4, Y, Y

#define U32F32(A, B, C, STORE) \
	U32F32ONE(0, Y0); \
	U32F32ONE(32, Y1); \
	ADDQ  $64, SI; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	ADDQ  $64, DI; \
	SUBQ  $16, CX

CONVERT(·convertU32F32, U32F32INIT, U32F32, NONE, NONE, NONE)

#define WIDEN16INIT VPXOR Y15, Y15, Y15

#define WIDEN16(A, B, C, STORE) \
	VPERMQ     $0xd8, (SI), Y0; \
	ADDQ       $32, SI; \
	VPUNPCKLQDQ Y15, Y0, Y1; \
	VPUNPCKHQDQ Y15, Y0, Y2; \
	STORE      Y1, 0(DI); \
	STORE      Y2, 32(DI); \
	ADDQ       $64, DI; \
	SUBQ       $4, CX

CONVERT(·convertF64C128, WIDEN16INIT, WIDEN16, NONE, NONE, NONE)
