//go:build amd64 && !purego && !race

#include "textflag.h"
#include "convert_amd64.h"

// TOSINGLE converts 16 numbers of SIZE bytes to float32. STEP(AT, Y) converts 8 numbers at AT(SI).
#define TOSINGLE(STEP, SIZE, C, STORE) \
	STEP(0, Y0); \
	STEP(8*SIZE, Y1); \
	ADDQ  $(16*SIZE), SI; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	ADDQ  $64, DI; \
	SUBQ  $16, CX

// TODOUBLE converts 8 numbers of SIZE bytes to float64.
#define TODOUBLE(STEP, SIZE, C, STORE) \
	STEP(0, Y0); \
	ADDQ         $(8*SIZE), SI; \
	VEXTRACTF128 $1, Y0, X1; \
	VCVTPS2PD    X0, Y0; \
	VCVTPS2PD    X1, Y1; \
	STORE        Y0, 0(DI); \
	STORE        Y1, 32(DI); \
	ADDQ         $64, DI; \
	SUBQ         $8, CX

// BF16STEP converts 8 BF16 to float32.
#define BF16STEP(AT, Y) \
	VPMOVZXWD AT(SI), Y; \
	VPSLLD    $16, Y, Y

CONVERT(·convertBF16F32, NOP, TOSINGLE, BF16STEP, 2, NONE)

CONVERT(·convertBF16F64, NOP, TODOUBLE, BF16STEP, 2, NONE)

// E4M3FNSTEP converts 8 F8E4M3FN to float32. Like SINGLE in half_amd64.s, it subtracts 1.0 × 2⁻⁶ from subnormal
// numbers. It replaces NaN by Y10.
//
//	Y4           signs
//	Y5           mask of subnormal numbers
//	Y6           mask of NaN
//	Y7           scratch
//	Y10 to Y15   constants
#define E4M3FNINIT \
	ALL(0x80000000, X15, Y15) /* the sign */; \
	ALL(0x00800000, X14, Y14) /* 1<<23, the least normal number */; \
	ALL(0x07f00000, X13, Y13) /* NaN */; \
	ALL(0x3c000000, X12, Y12) /* the difference of the biases */; \
	ALL(0x3c800000, X11, Y11) /* 1.0 × 2⁻⁶ */; \
	ALL(0x7fc00000, X10, Y10)

#define E4M3FNSTEP(AT, Y) \
	VPMOVSXBD AT(SI), Y; \
	VPAND     Y15, Y, Y4; \
	VPSLLD    $25, Y, Y; \
	VPSRLD    $5, Y, Y; \
	VPCMPGTD  Y, Y14, Y5; \
	VPCMPEQD  Y13, Y, Y6; \
	VPADDD    Y12, Y, Y; \
	VPAND     Y14, Y5, Y7; \
	VPADDD    Y7, Y, Y; \
	VPAND     Y11, Y5, Y5; \
	VSUBPS    Y5, Y, Y; \
	VPBLENDVB Y6, Y10, Y, Y; \
	VPOR      Y4, Y, Y

CONVERT(·convertE4M3FNF32, E4M3FNINIT, TOSINGLE, E4M3FNSTEP, 1, NONE)

CONVERT(·convertE4M3FNF64, E4M3FNINIT, TODOUBLE, E4M3FNSTEP, 1, NONE)

// E5M2STEP converts 8 F8E5M2 to float32. They are halves without their lower 8 bits: see SINGLE in half_amd64.s.
#define E5M2INIT \
	ALL(0x80000000, X15, Y15) /* the sign */; \
	ALL(0x00800000, X14, Y14) /* 1<<23, the least normal number */; \
	ALL(0x0f7fffff, X13, Y13) /* greater values are infinity or NaN */; \
	ALL(0x38000000, X12, Y12) /* the difference of the biases */; \
	ALL(0x38800000, X11, Y11) /* 1.0 × 2⁻¹⁴ */

#define E5M2STEP(AT, Y) \
	VPMOVSXBD AT(SI), Y; \
	VPAND     Y15, Y, Y4; \
	VPSLLD    $25, Y, Y; \
	VPSRLD    $4, Y, Y; \
	VPCMPGTD  Y, Y14, Y5; \
	VPCMPGTD  Y13, Y, Y6; \
	VPADDD    Y12, Y, Y; \
	VPAND     Y14, Y5, Y7; \
	VPADDD    Y7, Y, Y; \
	VPAND     Y11, Y5, Y5; \
	VSUBPS    Y5, Y, Y; \
	VPAND     Y12, Y6, Y6; \
	VPADDD    Y6, Y, Y; \
	VPOR      Y4, Y, Y

CONVERT(·convertE5M2F32, E5M2INIT, TOSINGLE, E5M2STEP, 1, NONE)

CONVERT(·convertE5M2F64, E5M2INIT, TODOUBLE, E5M2STEP, 1, NONE)

// F32BF16STEP converts 8 float32 to BF16, as bf16OfSingle does. Y4 is the mask of NaN, Y5 and Y6 are scratch, and Y11 to
// Y15 are constants.
#define F32BF16INIT \
	ALL(0x7fffffff, X15, Y15); \
	ALL(0x7f800000, X14, Y14) /* greater values are NaN */; \
	ALL(0x00000001, X13, Y13); \
	ALL(0x00007fff, X12, Y12); \
	ALL(0x00000040, X11, Y11) /* the quiet bit of NaN */

#define F32BF16STEP(AT, X, Y) \
	VMOVDQU   (4*(AT))(SI), Y; \
	VPAND     Y15, Y, Y4; \
	VPCMPGTD  Y14, Y4, Y4; \
	VPSRLD    $16, Y, Y5; \
	VPAND     Y13, Y5, Y6; \
	VPADDD    Y12, Y6, Y6; \
	VPADDD    Y6, Y, Y; \
	VPSRLD    $16, Y, Y; \
	VPOR      Y11, Y5, Y5; \
	VPBLENDVB Y4, Y5, Y, Y

CONVERT(·convertF32BF16, F32BF16INIT, PACK2, F32BF16STEP, VPACKUSDW, 4)

// SINGLE8 converts 8 float32 to floats of 1 byte, as rounded32 does, with DROP fewer bits of fraction. PAYLOAD sets Y5
// to the results for lanes with NaN.
//
//	Y4       signs
//	Y5, Y6   results for NaN, mask of NaN
//	Y7, Y8   scratch
//	Y10      bits of NaN
//	Y11      upper limit of the result
//	Y12      DROP<<23
//	Y13      low
//	Y14      mask of the exponent; greater values are NaN
//	Y15      mask of the sign
#define SINGLE8INIT(LOW, DROP, MOST, NAN) \
	ALL(0x80000000, X15, Y15); \
	ALL(0x7f800000, X14, Y14); \
	ALL(LOW, X13, Y13); \
	ALL(DROP<<23, X12, Y12); \
	ALL(MOST, X11, Y11); \
	ALL(NAN, X10, Y10)

#define SINGLE8(AT, Y, DROP, PAYLOAD) \
	VMOVDQU   (4*(AT))(SI), Y; \
	VPAND     Y15, Y, Y4; \
	VPXOR     Y4, Y, Y; \
	VPCMPGTD  Y14, Y, Y6; \
	PAYLOAD(Y); \
	VPMINSD   Y11, Y, Y; \
	VPAND     Y14, Y, Y7; \
	VPMAXSD   Y13, Y7, Y7; \
	VPADDD    Y12, Y7, Y8; \
	VADDPS    Y8, Y, Y; \
	VPSUBD    Y8, Y, Y; \
	VPSUBD    Y13, Y7, Y7; \
	VPSRLD    $DROP, Y7, Y7; \
	VPADDD    Y7, Y, Y; \
	VPBLENDVB Y6, Y5, Y, Y; \
	VPSRLD    $24, Y4, Y4; \
	VPOR      Y4, Y, Y

// BYTES4 converts 32 numbers of 4 bytes to bytes. STEP converts 8 numbers at a time. Y9 undoes the interleaving of the
// VPACK instructions.
#define BYTES4(STEP, B, C, STORE) \
	STEP(0, Y0); \
	STEP(8, Y1); \
	VPACKUSDW Y1, Y0, Y0; \
	STEP(16, Y2); \
	STEP(24, Y3); \
	VPACKUSDW Y3, Y2, Y2; \
	VPACKUSWB Y2, Y0, Y0; \
	VPERMD    Y0, Y9, Y0; \
	ADDQ      $128, SI; \
	STORE     Y0, (DI); \
	ADDQ      $32, DI; \
	SUBQ      $32, CX

// NONAN sets Y5 to NaN without a payload.
#define NONAN(Y) VMOVDQA Y10, Y5

// NANE5M2 sets Y5 to NaN with the first bit of the payload that fits.
#define NANE5M2(Y) \
	VPSRLD $21, Y, Y5; \
	VPOR   Y10, Y5, Y5; \
	VPAND  ·byte7f<>(SB), Y5, Y5

#define F32E4M3FNINIT \
	SINGLE8INIT(0x3c800000, 20, 0x43f00000, 0x7f); \
	VMOVDQU ·unpacked<>(SB), Y9

#define F32E4M3FNSTEP(AT, Y) SINGLE8(AT, Y, 20, NONAN)

CONVERT(·convertF32E4M3FN, F32E4M3FNINIT, BYTES4, F32E4M3FNSTEP, NONE, NONE)

#define F32E5M2INIT \
	SINGLE8INIT(0x38800000, 21, 0x47800000, 0x7e); \
	VMOVDQU ·unpacked<>(SB), Y9

#define F32E5M2STEP(AT, Y) SINGLE8(AT, Y, 21, NANE5M2)

CONVERT(·convertF32E5M2, F32E5M2INIT, BYTES4, F32E5M2STEP, NONE, NONE)

// ROUNDED converts 4 float64 to floats with fewer bits, as rounded64 does, in the lower half of each lane of Y, but
// without sign and NaN. RAW is set to the float64. DROP is the number of bits of fraction that are dropped.
//
//	Y7, Y8   scratch
//	Y11      upper limit of the result
//	Y12      DROP<<52
//	Y13      low
//	Y14      mask of the exponent
//	Y15      mask of all bits except the sign
#define ROUNDED(AT, RAW, Y, DROP) \
	VMOVUPD (8*(AT))(SI), RAW; \
	VPAND   Y15, RAW, Y; \
	VMINPD  Y11, Y, Y; \
	VPAND   Y14, Y, Y7; \
	VPMAXSD Y13, Y7, Y7; \
	VPADDQ  Y12, Y7, Y8; \
	VADDPD  Y8, Y, Y; \
	VPSUBQ  Y8, Y, Y; \
	VPSUBQ  Y13, Y7, Y7; \
	VPSRLQ  $DROP, Y7, Y7; \
	VPADDQ  Y7, Y, Y

#define DOUBLEINIT(LOW, DROP, MOST, NAN, PAYLOAD) \
	BROADCAST(0x7fffffffffffffff, X15, Y15); \
	BROADCAST(0x7ff0000000000000, X14, Y14); \
	BROADCAST(LOW, X13, Y13); \
	BROADCAST(DROP<<52, X12, Y12); \
	BROADCAST(MOST, X11, Y11); \
	ALL(NAN, X10, Y10); \
	ALL(PAYLOAD, X9, Y9)

// DOUBLES converts 8 float64 to floats with fewer bits. The upper half of each float64 has the sign, which goes to bit
// SIGN of the result, and the payload of a NaN, which is shifted right by SHIFT.
//
//	Y3 to Y8     scratch
//	Y9           mask of the payload in the result
//	Y10          bits of NaN
//	Y11 to Y15   constants of ROUNDED
#define DOUBLES(AT, Y, DROP, SIGN, SHIFT) \
	ROUNDED(AT, Y4, Y, DROP); \
	ROUNDED(AT+4, Y6, Y3, DROP); \
	VCMPPD    $3, Y4, Y4, Y5; \
	VCMPPD    $3, Y6, Y6, Y7; \
	VSHUFPS   $0x88, Y7, Y5, Y5; \
	VSHUFPS   $0xdd, Y6, Y4, Y4; \
	VSHUFPS   $0x88, Y3, Y, Y; \
	VPSRLD    $SHIFT, Y4, Y6; \
	VPAND     Y9, Y6, Y6; \
	VPOR      Y10, Y6, Y6; \
	VPBLENDVB Y5, Y6, Y, Y; \
	VPSRLD    $31, Y4, Y4; \
	VPSLLD    $SIGN, Y4, Y4; \
	VPOR      Y4, Y, Y; \
	VPERMQ    $0xd8, Y, Y

#define F64BF16INIT DOUBLEINIT(0x3810000000000000, 45, 0x47f0000000000000, 0x7fc0, 0x3f)

#define F64BF16STEP(AT, X, Y) DOUBLES(AT, Y, 45, 15, 13)

CONVERT(·convertF64BF16, F64BF16INIT, PACK2, F64BF16STEP, VPACKUSDW, 8)

// BYTES8 converts 32 float64 to bytes. As STEP needs one more register than in BYTES4, it loads the permutation of Y1
// each time.
#define BYTES8(STEP, B, C, STORE) \
	STEP(0, Y0); \
	STEP(8, Y1); \
	VPACKUSDW Y1, Y0, Y0; \
	STEP(16, Y1); \
	STEP(24, Y2); \
	VPACKUSDW Y2, Y1, Y1; \
	VPACKUSWB Y1, Y0, Y0; \
	VMOVDQU   ·unpacked<>(SB), Y1; \
	VPERMD    Y0, Y1, Y0; \
	ADDQ      $256, SI; \
	STORE     Y0, (DI); \
	ADDQ      $32, DI; \
	SUBQ      $32, CX

#define F64E4M3FNINIT DOUBLEINIT(0x3f90000000000000, 49, 0x407e000000000000, 0x7f, 0)

#define F64E4M3FNSTEP(AT, Y) DOUBLES(AT, Y, 49, 7, 17)

CONVERT(·convertF64E4M3FN, F64E4M3FNINIT, BYTES8, F64E4M3FNSTEP, NONE, NONE)

#define F64E5M2INIT DOUBLEINIT(0x3f10000000000000, 50, 0x40f0000000000000, 0x7e, 1)

#define F64E5M2STEP(AT, Y) DOUBLES(AT, Y, 50, 7, 18)

CONVERT(·convertF64E5M2, F64E5M2INIT, BYTES8, F64E5M2STEP, NONE, NONE)

// unpacked is the permutation of 32-bit lanes that undoes the interleaving of VPACKUSDW and VPACKUSWB.
DATA ·unpacked<>+0(SB)/4, $0
DATA ·unpacked<>+4(SB)/4, $4
DATA ·unpacked<>+8(SB)/4, $1
DATA ·unpacked<>+12(SB)/4, $5
DATA ·unpacked<>+16(SB)/4, $2
DATA ·unpacked<>+20(SB)/4, $6
DATA ·unpacked<>+24(SB)/4, $3
DATA ·unpacked<>+28(SB)/4, $7
GLOBL ·unpacked<>(SB), RODATA|NOPTR, $32

// byte7f has the lower 7 bits set in each lane of 32 bits.
DATA ·byte7f<>+0(SB)/8, $0x0000007f0000007f
DATA ·byte7f<>+8(SB)/8, $0x0000007f0000007f
DATA ·byte7f<>+16(SB)/8, $0x0000007f0000007f
DATA ·byte7f<>+24(SB)/8, $0x0000007f0000007f
GLOBL ·byte7f<>(SB), RODATA|NOPTR, $32
