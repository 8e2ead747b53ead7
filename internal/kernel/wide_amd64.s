//go:build amd64 && !purego && !race

#include "textflag.h"

// TOTAL makes AX the sum of the 4 integers in Y0.
#define TOTAL \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDQ       X1, X0, X0; \
	VPSHUFD      $0x4e, X0, X1; \
	VPADDQ       X1, X0, X0; \
	VMOVQ        X0, AX; \
	VZEROUPPER

// WIDE adds up 64 bytes at a time in Y0 and Y1. STEP takes 32 bytes, which the mask in Y13 puts into native order
// and in which the bits of Y15 are then flipped, and adds them to its sum with ADD. It prefetches what is
// aheadBytes further on.
#define WIDE(STEP, ADD) \
	MOVQ p+0(FP), SI; \
	MOVQ n+8(FP), CX; \
	VPBROADCASTQ turn+16(FP), Y15; \
	MOVQ mask+24(FP), AX; \
	VBROADCASTI128 (AX), Y13; \
	MOVQ ·aheadBytes(SB), R8; \
	VPXOR Y0, Y0, Y0; \
	VPXOR Y1, Y1, Y1; \
loop: \
	VMOVDQU (SI), Y2; \
	VMOVDQU 32(SI), Y3; \
	VPSHUFB Y13, Y2, Y2; \
	VPSHUFB Y13, Y3, Y3; \
	VPXOR Y15, Y2, Y2; \
	VPXOR Y15, Y3, Y3; \
	PREFETCHT0 (SI)(R8*1); \
	ADDQ  $64, SI; \
	STEP(Y2, Y4, Y0, ADD); \
	STEP(Y3, Y5, Y1, ADD); \
	SUBQ  $64, CX; \
	JNZ   loop; \
	ADD   Y1, Y0, Y0

// BYTES adds up 8 bytes in each 64 bits, with the zeros in Y14.
#define BYTES(X, TMP, SUM, ADD) \
	VPSADBW Y14, X, X; \
	ADD     X, SUM, SUM

// func sumWide8(p Pointer, n int, turn uint64, mask *[16]byte) uint64
TEXT ·sumWide8(SB), NOSPLIT, $0-40
	VPXOR Y14, Y14, Y14
	WIDE(BYTES, VPADDQ)
	TOTAL
	MOVQ AX, ret+32(FP)
	RET

// SHORTS adds up 2 signed integers in each 32 bits, with the ones in Y14.
#define SHORTS(X, TMP, SUM, ADD) \
	VPMADDWD Y14, X, X; \
	ADD      X, SUM, SUM

// func sumWide16(p Pointer, n int, turn uint64, mask *[16]byte) uint64
TEXT ·sumWide16(SB), NOSPLIT, $0-40
	VPCMPEQW     Y14, Y14, Y14
	VPSRLW       $15, Y14, Y14
	WIDE(SHORTS, VPADDD)
	VEXTRACTI128 $1, Y0, X1
	VPMOVSXDQ    X0, Y0
	VPMOVSXDQ    X1, Y1
	VPADDQ       Y1, Y0, Y0
	TOTAL
	MOVQ AX, ret+32(FP)
	RET

// LONGS adds up the halves of 64 bits, with the mask of the lower ones in Y14.
#define LONGS(X, TMP, SUM, ADD) \
	VPAND  Y14, X, TMP; \
	VPSRLQ $32, X, X; \
	ADD    TMP, SUM, SUM; \
	ADD    X, SUM, SUM

#define WHOLE(X, TMP, SUM, ADD) \
	ADD X, SUM, SUM

// func sumWide64(p Pointer, n int, turn uint64, mask *[16]byte) uint64
TEXT ·sumWide64(SB), NOSPLIT, $0-40
	WIDE(WHOLE, VPADDQ)
	TOTAL
	MOVQ AX, ret+32(FP)
	RET

// func sumWide32(p Pointer, n int, turn uint64, mask *[16]byte) uint64
TEXT ·sumWide32(SB), NOSPLIT, $0-40
	VPCMPEQQ Y14, Y14, Y14
	VPSRLQ   $32, Y14, Y14
	WIDE(LONGS, VPADDQ)
	TOTAL
	MOVQ AX, ret+32(FP)
	RET

// ZEROS counts the bytes of numbers that are 0: in bytes, which have room for 255 times
// 32 bytes, and then in 64 bits. SIGN takes away the sign of floats.
#define ZEROS(SIGN, EQUAL) \
	MOVQ  p+0(FP), SI; \
	MOVQ  n+8(FP), CX; \
	VPXOR Y14, Y14, Y14; \
	VPXOR Y0, Y0, Y0; \
most: \
	VPXOR Y1, Y1, Y1; \
	MOVQ  $(255*32), BX; \
	CMPQ  CX, BX; \
	CMOVQLT CX, BX; \
	SUBQ  BX, CX; \
loop: \
	VMOVDQU (SI), Y2; \
	ADDQ    $32, SI; \
	SIGN; \
	EQUAL   Y14, Y2, Y2; \
	VPSUBB  Y2, Y1, Y1; \
	SUBQ    $32, BX; \
	JNZ     loop; \
	VPSADBW Y14, Y1, Y1; \
	VPADDQ  Y1, Y0, Y0; \
	TESTQ   CX, CX; \
	JNZ     most; \
	TOTAL

#define NOSIGN
#define SIGN4 VPSLLD $1, Y2, Y2
#define SIGN8 VPSLLQ $1, Y2, Y2

// func zeros8(p Pointer, n int) int
TEXT ·zeros8(SB), NOSPLIT, $0-24
	ZEROS(NOSIGN, VPCMPEQB)
	MOVQ AX, ret+16(FP)
	RET

// func zeros16(p Pointer, n int) int
TEXT ·zeros16(SB), NOSPLIT, $0-24
	ZEROS(NOSIGN, VPCMPEQW)
	MOVQ AX, ret+16(FP)
	RET

// func zeros32(p Pointer, n int) int
TEXT ·zeros32(SB), NOSPLIT, $0-24
	ZEROS(NOSIGN, VPCMPEQD)
	MOVQ AX, ret+16(FP)
	RET

// func zeros64(p Pointer, n int) int
TEXT ·zeros64(SB), NOSPLIT, $0-24
	ZEROS(NOSIGN, VPCMPEQQ)
	MOVQ AX, ret+16(FP)
	RET

// func zerosF32(p Pointer, n int) int
TEXT ·zerosF32(SB), NOSPLIT, $0-24
	ZEROS(SIGN4, VPCMPEQD)
	MOVQ AX, ret+16(FP)
	RET

// func zerosF64(p Pointer, n int) int
TEXT ·zerosF64(SB), NOSPLIT, $0-24
	ZEROS(SIGN8, VPCMPEQQ)
	MOVQ AX, ret+16(FP)
	RET
