//go:build amd64 && !purego && !race

#include "textflag.h"
#include "convert_amd64.h"

// The loops below convert to booleans, and from and to 64-bit integers and unsigned 32-bit integers, for which AVX2 has
// no instructions. The bits of 1<<52 as a float64 are 0x4330<<48. ORing them with an integer x below 1<<52 results in
// the float64 1<<52 + x, and subtracting 1<<52 from that in x as a float64. Adding 1<<52 to a float64 converts it back.

#define ONES BROADCAST(0x0101010101010101, X15, Y15)

// CLEAN replaces nonzero bytes by 1: the minimum of each byte and 1.
#define CLEAN(A, B, C, STORE) \
	VMOVDQU (SI), Y0; \
	ADDQ    $32, SI; \
	VPMINUB Y15, Y0, Y0; \
	STORE   Y0, (DI); \
	ADDQ    $32, DI; \
	SUBQ    $32, CX

CONVERT(·cleanBools, ONES, CLEAN, NONE, NONE, NONE)

// TEST2, TEST4 and TEST8 convert 32 numbers of 2, 4 and 8 bytes to booleans: a number is true unless it is 0. PART
// shifts the sign of floats out, because -0 is false, too.
//
//	Y13   permutation that undoes the interleaving of VPACK instructions
//	Y14   zeros
//	Y15   1 in each byte
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

// TEST4ONE sets lanes of Y to all ones if a number is 0. TEST8ONE does the same for numbers of 8 bytes.
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

// TEST8PACK tests 8 numbers, and narrows the results to lanes of 32 bits.
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

// EIGHT converts 8 numbers of SIZE bytes to numbers of 8 bytes. ONE(AT, Y) converts 4 numbers at AT(SI).
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

// I64F64ONE converts 4 integers of 64 bits to float64. Its upper half times 1<<32 is the lower bits of a float64 of at
// least 1<<84. Subtracting Y13 from that is exact, so that only the sum of both halves is rounded.
#define I64F64INIT \
	BROADCAST(0x4330000000000000, X15, Y15) /* 1<<52 */; \
	BROADCAST(0x4530000080000000, X14, Y14) /* 1<<84, and the bit that flips the sign */; \
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

// LONGF32 defines the loop NAME, which converts 8 integers of 64 bits at a time to float32. Integers of fewer than 52
// bits are exact as float64s, which VCVTPD2PSY rounds to float32. If one of the 8 integers is larger, ONE converts the
// 8 integers one by one, from AX to X0. The argument nonTemporal is ignored.
//
//	DI, SI   dst, src
//	CX       remaining integers
//	BX       remaining integers to convert one by one
//	Y0, Y1   integers
//	Y2, Y3   scratch
//	Y13      BIAS, which makes signed integers unsigned ones for the comparison
//	Y14      bits that are set in larger integers
//	Y15      MAGIC, to convert integers to float64
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

// UNSIGNEDF32 converts one integer. An integer of at least 1<<63 is halved, converted and doubled. The bit that is
// shifted out is ORed into the last bit, so that the rounding is the same.
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

// F64U32ONE converts 4 float64 to integers in the lower half of each lane. NaN becomes 0, and numbers out of range
// become the nearest integer.
#define F64U32ONE(AT, Y) \
	VMOVUPD  (AT)(SI), Y; \
	VCMPPD   $7, Y, Y, Y4 /* not NaN */; \
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

// F32U32ONE converts 8 float32 to uint32. It subtracts 1<<31 from numbers of at least 1<<31, and adds it to the integer
// again. NaN and negative numbers become 0, and numbers of at least 1<<32 become the greatest integer.
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

// F64I64ONE converts 4 floats to integers of 64 bits. It truncates each to an integer, which it splits into two halves
// that are exact. It limits numbers out of range to the greatest float in range. Where Y5 is set, as the number was too
// large, the result is Y9.
//
//	Y4, Y6      scratch
//	Y5          mask of numbers that are too large
//	Y7 to Y15   constants
#define F64I64INIT \
	BROADCAST(0x3df0000000000000, X15, Y15) /* 1/(1<<32) */; \
	BROADCAST(0x41f0000000000000, X14, Y14) /* 1<<32 */; \
	BROADCAST(0x4338000000000000, X13, Y13) /* 1<<52 + 1<<51, for integers of either sign */; \
	BROADCAST(0x43e0000000000000, X12, Y12) /* 1<<63 */; \
	BROADCAST(0x43dfffffffffffff, X11, Y11) /* the greatest float below 1<<63 */; \
	BROADCAST(0xc3e0000000000000, X10, Y10) /* -1 << 63 */; \
	BROADCAST(0x7fffffffffffffff, X9, Y9) /* the greatest integer */; \
	VMOVAPD Y9, Y8 /* mask of all bits except the sign */; \
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
	VCMPPD    $7, Y, Y, Y4 /* not NaN */; \
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

// FLOATI64 converts 8 floats to integers of 64 bits. LOAD loads floats of SIZE bytes as float64. If all are below
// 1<<51, and none is negative where negative numbers are not allowed, the lower bits of their sums with Y13 are the
// integers. Otherwise FLOATI64 jumps to F64I64ONE. The jumps count instructions, because a macro that is used twice
// cannot have labels.
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

// U32F32ONE converts 8 uint32 to float32. Both halves of 16 bits are exact as float32s, and so is the upper half times
// 1<<16. So only their sum is rounded.
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

// WIDEN16 converts 4 float64 to complex numbers.
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
