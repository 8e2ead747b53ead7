//go:build amd64 && !purego && !race

#include "textflag.h"

// The sums of elements 0 to 3 and 4 to 7 of every eight are in Y0 and Y1. TOTAL adds
// them as eightPlain does: VHADDPD adds neighbours.
#define TOTAL \
	VHADDPD      Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD       X1, X0, X0; \
	VHADDPD      X0, X0, X0; \
	VZEROUPPER; \
	MOVSD        X0, ret+16(FP); \
	RET

// The least and the greatest of 64 bytes at a time, in Y8 and Y9, Y10 and Y11. KEY
// maps numbers to integers of the same order, and back. MIN and MAX are of X and A,
// to A.
#define MINMAX(KEY, MIN, MAX) \
	MOVQ    s+0(FP), SI; \
	MOVQ    n+8(FP), CX; \
	MOVQ    out+16(FP), DI; \
	VMOVDQU (SI), Y8; \
	KEY(Y8); \
	VMOVDQA Y8, Y9; \
	VMOVDQA Y8, Y10; \
	VMOVDQA Y8, Y11; \
loop: \
	VMOVDQU 0(SI), Y0; \
	VMOVDQU 32(SI), Y1; \
	ADDQ    $64, SI; \
	KEY(Y0); \
	KEY(Y1); \
	MIN(Y0, Y8); \
	MAX(Y0, Y9); \
	MIN(Y1, Y10); \
	MAX(Y1, Y11); \
	SUBQ    $64, CX; \
	JNZ     loop; \
	MIN(Y10, Y8); \
	MAX(Y11, Y9); \
	KEY(Y8); \
	KEY(Y9); \
	VMOVDQU Y8, (DI); \
	VMOVDQU Y9, 32(DI); \
	VZEROUPPER; \
	RET

// A float that is negative has the more bits the less it is: all but the sign are
// reversed. So -0 is below 0, and NaN is above or below all numbers, by its sign.
#define KEYF32(X) \
	VPSRAD $31, X, Y2; \
	VPSRLD $1, Y2, Y2; \
	VPXOR  Y2, X, X

#define KEYF64(X) \
	VPXOR    Y2, Y2, Y2; \
	VPCMPGTQ X, Y2, Y2; \
	VPSRLQ   $1, Y2, Y2; \
	VPXOR    Y2, X, X

// Unsigned integers become signed ones.
#define KEYU64(X) \
	VPCMPEQQ Y2, Y2, Y2; \
	VPSLLQ   $63, Y2, Y2; \
	VPXOR    Y2, X, X

#define NOKEY(X)

#define MINI8(X, A) VPMINSB X, A, A
#define MAXI8(X, A) VPMAXSB X, A, A
#define MINI16(X, A) VPMINSW X, A, A
#define MAXI16(X, A) VPMAXSW X, A, A
#define MINI32(X, A) VPMINSD X, A, A
#define MAXI32(X, A) VPMAXSD X, A, A
#define MINU8(X, A) VPMINUB X, A, A
#define MAXU8(X, A) VPMAXUB X, A, A
#define MINU16(X, A) VPMINUW X, A, A
#define MAXU16(X, A) VPMAXUW X, A, A
#define MINU32(X, A) VPMINUD X, A, A
#define MAXU32(X, A) VPMAXUD X, A, A

// There are none of 64 bits.
#define MINI64(X, A) \
	VPCMPGTQ  X, A, Y3; \
	VBLENDVPD Y3, X, A, A

#define MAXI64(X, A) \
	VPCMPGTQ  A, X, Y3; \
	VBLENDVPD Y3, X, A, A

// func eightF64(s Pointer, n int) float64
TEXT ·eightF64(SB), NOSPLIT, $0-24
	MOVQ   s+0(FP), SI
	MOVQ   n+8(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1

loop:
	VADDPD 0(SI), Y0, Y0
	VADDPD 32(SI), Y1, Y1
	ADDQ   $64, SI
	SUBQ   $8, CX
	JNZ    loop
	TOTAL

// func eightF32(s Pointer, n int) float64
TEXT ·eightF32(SB), NOSPLIT, $0-24
	MOVQ   s+0(FP), SI
	MOVQ   n+8(FP), CX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1

loop:
	VCVTPS2PD 0(SI), Y2
	VCVTPS2PD 16(SI), Y3
	ADDQ      $32, SI
	VADDPD    Y2, Y0, Y0
	VADDPD    Y3, Y1, Y1
	SUBQ      $8, CX
	JNZ       loop
	TOTAL

// func minMaxI8(s Pointer, n int, out *[64]byte)
TEXT ·minMaxI8(SB), NOSPLIT, $0-24
	MINMAX(NOKEY, MINI8, MAXI8)

// func minMaxI16(s Pointer, n int, out *[64]byte)
TEXT ·minMaxI16(SB), NOSPLIT, $0-24
	MINMAX(NOKEY, MINI16, MAXI16)

// func minMaxI32(s Pointer, n int, out *[64]byte)
TEXT ·minMaxI32(SB), NOSPLIT, $0-24
	MINMAX(NOKEY, MINI32, MAXI32)

// func minMaxI64(s Pointer, n int, out *[64]byte)
TEXT ·minMaxI64(SB), NOSPLIT, $0-24
	MINMAX(NOKEY, MINI64, MAXI64)

// func minMaxU8(s Pointer, n int, out *[64]byte)
TEXT ·minMaxU8(SB), NOSPLIT, $0-24
	MINMAX(NOKEY, MINU8, MAXU8)

// func minMaxU16(s Pointer, n int, out *[64]byte)
TEXT ·minMaxU16(SB), NOSPLIT, $0-24
	MINMAX(NOKEY, MINU16, MAXU16)

// func minMaxU32(s Pointer, n int, out *[64]byte)
TEXT ·minMaxU32(SB), NOSPLIT, $0-24
	MINMAX(NOKEY, MINU32, MAXU32)

// func minMaxU64(s Pointer, n int, out *[64]byte)
TEXT ·minMaxU64(SB), NOSPLIT, $0-24
	MINMAX(KEYU64, MINI64, MAXI64)

// func minMaxF32(s Pointer, n int, out *[64]byte)
TEXT ·minMaxF32(SB), NOSPLIT, $0-24
	MINMAX(KEYF32, MINI32, MAXI32)

// func minMaxF64(s Pointer, n int, out *[64]byte)
TEXT ·minMaxF64(SB), NOSPLIT, $0-24
	MINMAX(KEYF64, MINI64, MAXI64)
