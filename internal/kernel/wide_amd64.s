//go:build amd64 && !purego && !race

#include "textflag.h"
#include "loops_amd64.h"

// TOTAL makes AX the sum of the 4 integers in Y0.
#define TOTAL \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDQ       X1, X0, X0; \
	VPSHUFD      $0x4e, X0, X1; \
	VPADDQ       X1, X0, X0; \
	VMOVQ        X0, AX; \
	VZEROUPPER

// NONZERO counts the bytes of numbers of 1<<LOG bytes that are 0: in bytes, which have room for 255 times
// 32 bytes, and then in 64 bits. SIGN takes away the sign of floats.
#define NONZERO(LOG, SIGN, EQUAL) \
	MOVQ  p+8(FP), SI; \
	MOVQ  n+16(FP), CX; \
	ANDQ  $-(32>>LOG), CX; \
	MOVQ  CX, done+24(FP); \
	JZ    none; \
	SHLQ  $LOG, CX; \
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
	TOTAL; \
	SHRQ    $LOG, AX; \
	NEGQ    AX; \
	ADDQ    done+24(FP), AX; \
	MOVQ    count+0(FP), DI; \
	ADDQ    AX, (DI); \
none: \
	RET

#define NOSIGN
#define SIGN4 VPSLLD $1, Y2, Y2
#define SIGN8 VPSLLQ $1, Y2, Y2

// SUMMED adds up 64 bytes at a time of integers of 1<<LOG bytes in Y0 and Y1. STEP takes 32 bytes, which the mask in Y13
// puts into native order and in which the bits of FLIP are then flipped, and adds them to its sum with ADD. It prefetches
// what is aheadBytes further on. INIT loads what STEP needs to Y14, and FINISH makes 4 integers in Y0 of the sums; each number counts for OFFSET less there.
#define SUMMED(LOG, FLIP, OFFSET, INIT, STEP, ADD, FINISH) \
	MOVQ p+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	ANDQ $-(64>>LOG), CX; \
	MOVQ CX, done+32(FP); \
	JZ   none; \
	SHLQ $LOG, CX; \
	INIT; \
	MOVQ $FLIP, AX; \
	VMOVQ AX, X15; \
	VPBROADCASTQ X15, Y15; \
	ORDER(swap+24(FP), BX, Y13); \
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
	ADD   Y1, Y0, Y0; \
	FINISH; \
	TOTAL; \
	MOVQ  $OFFSET, BX; \
	IMULQ done+32(FP), BX; \
	ADDQ  BX, AX; \
	MOVQ  sum+0(FP), DI; \
	ADDQ  AX, (DI); \
none: \
	RET

#define NOTHING

// BYTES adds up 8 bytes in each 64 bits.
#define ZEROS VPXOR Y14, Y14, Y14
#define BYTES(X, TMP, SUM, ADD) \
	VPSADBW Y14, X, X; \
	ADD     X, SUM, SUM

TEXT ·totalI8(SB), NOSPLIT, $0-40
	SUMMED(0, 0x8080808080808080, -128, ZEROS, BYTES, VPADDQ, NOTHING)

TEXT ·totalU8(SB), NOSPLIT, $0-40
	SUMMED(0, 0, 0, ZEROS, BYTES, VPADDQ, NOTHING)

// SHORTS adds up 2 signed integers in each 32 bits.
#define SHORTONES VPCMPEQW Y14, Y14, Y14; VPSRLW $15, Y14, Y14
#define SHORTS(X, TMP, SUM, ADD) \
	VPMADDWD Y14, X, X; \
	ADD      X, SUM, SUM

#define WIDENED \
	VEXTRACTI128 $1, Y0, X1; \
	VPMOVSXDQ    X0, Y0; \
	VPMOVSXDQ    X1, Y1; \
	VPADDQ       Y1, Y0, Y0

TEXT ·totalI16(SB), NOSPLIT, $0-40
	SUMMED(1, 0, 0, SHORTONES, SHORTS, VPADDD, WIDENED)

TEXT ·totalU16(SB), NOSPLIT, $0-40
	SUMMED(1, 0x8000800080008000, 0x8000, SHORTONES, SHORTS, VPADDD, WIDENED)

// LONGS adds up the halves of 64 bits.
#define LOWER VPCMPEQQ Y14, Y14, Y14; VPSRLQ $32, Y14, Y14
#define LONGS(X, TMP, SUM, ADD) \
	VPAND  Y14, X, TMP; \
	VPSRLQ $32, X, X; \
	ADD    TMP, SUM, SUM; \
	ADD    X, SUM, SUM

TEXT ·totalI32(SB), NOSPLIT, $0-40
	SUMMED(2, 0x8000000080000000, -0x80000000, LOWER, LONGS, VPADDQ, NOTHING)

TEXT ·totalU32(SB), NOSPLIT, $0-40
	SUMMED(2, 0, 0, LOWER, LONGS, VPADDQ, NOTHING)

#define WHOLE(X, TMP, SUM, ADD) \
	ADD X, SUM, SUM

TEXT ·total64(SB), NOSPLIT, $0-40
	SUMMED(3, 0, 0, NOTHING, WHOLE, VPADDQ, NOTHING)

TEXT ·nonzero8(SB), NOSPLIT, $0-32
	NONZERO(0, NOSIGN, VPCMPEQB)

TEXT ·nonzero16(SB), NOSPLIT, $0-32
	NONZERO(1, NOSIGN, VPCMPEQW)

TEXT ·nonzero32(SB), NOSPLIT, $0-32
	NONZERO(2, NOSIGN, VPCMPEQD)

TEXT ·nonzero64(SB), NOSPLIT, $0-32
	NONZERO(3, NOSIGN, VPCMPEQQ)

TEXT ·nonzeroF32(SB), NOSPLIT, $0-32
	NONZERO(2, SIGN4, VPCMPEQD)

TEXT ·nonzeroF64(SB), NOSPLIT, $0-32
	NONZERO(3, SIGN8, VPCMPEQQ)
