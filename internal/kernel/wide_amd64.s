//go:build amd64 && !purego && !race

#include "textflag.h"
#include "loops_amd64.h"

#define NOTHING

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
#define NONZERO(NAME, LOG, SIGN, EQUAL) \
TEXT NAME(SB), NOSPLIT, $0-32; \
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

#define SIGN4 VPSLLD $1, Y2, Y2
#define SIGN8 VPSLLQ $1, Y2, Y2

// SUMMED adds up 64 bytes at a time of integers of 1<<LOG bytes in Y0 and Y1. STEP takes 32 bytes, which the mask in Y13
// puts into native order and in which the bits of FLIP are then flipped, and adds them to its sum with ADD. It prefetches
// prefetchBytes further on. INIT loads what STEP needs to Y14, and FINISH makes 4 integers in Y0 of the sums; each number
// counts for OFFSET less there.
#define SUMMED(NAME, LOG, FLIP, OFFSET, INIT, STEP, ADD, FINISH) \
TEXT NAME(SB), NOSPLIT, $0-40; \
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
	MOVQ ·prefetchBytes(SB), R8; \
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

// BYTES adds up 8 bytes in each 64 bits.
#define ZEROS VPXOR Y14, Y14, Y14
#define BYTES(X, TMP, SUM, ADD) \
	VPSADBW Y14, X, X; \
	ADD     X, SUM, SUM

SUMMED(·totalI8, 0, 0x8080808080808080, -128, ZEROS, BYTES, VPADDQ, NOTHING)
SUMMED(·totalU8, 0, 0, 0, ZEROS, BYTES, VPADDQ, NOTHING)

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

SUMMED(·totalI16, 1, 0, 0, SHORTONES, SHORTS, VPADDD, WIDENED)
SUMMED(·totalU16, 1, 0x8000800080008000, 0x8000, SHORTONES, SHORTS, VPADDD, WIDENED)

// LONGS adds up the halves of 64 bits.
#define LOWER VPCMPEQQ Y14, Y14, Y14; VPSRLQ $32, Y14, Y14
#define LONGS(X, TMP, SUM, ADD) \
	VPAND  Y14, X, TMP; \
	VPSRLQ $32, X, X; \
	ADD    TMP, SUM, SUM; \
	ADD    X, SUM, SUM

SUMMED(·totalI32, 2, 0x8000000080000000, -0x80000000, LOWER, LONGS, VPADDQ, NOTHING)
SUMMED(·totalU32, 2, 0, 0, LOWER, LONGS, VPADDQ, NOTHING)

// WHOLE is the start of loops that take 16 integers of 8 bytes at a time.
#define WHOLE(N, DONE) \
	MOVQ N, CX; \
	ANDQ $-16, CX; \
	MOVQ CX, DONE; \
	JZ   none; \
	MOVQ ·prefetchBytes(SB), R8; \
	VPXOR Y0, Y0, Y0; \
	VPXOR Y1, Y1, Y1; \
loop: \
	VMOVDQU (SI), Y2; \
	VMOVDQU 32(SI), Y3; \
	VMOVDQU 64(SI), Y4; \
	VMOVDQU 96(SI), Y5; \
	PREFETCHT0 (SI)(R8*1); \
	PREFETCHT0 64(SI)(R8*1); \
	ADDQ $128, SI

// EACH does an operation to those.
#define EACH(OP, WITH) \
	OP WITH, Y2, Y2; \
	OP WITH, Y3, Y3; \
	OP WITH, Y4, Y4; \
	OP WITH, Y5, Y5

// SUM4 adds them to two sums.
#define SUM4(ADD, A, B) \
	ADD Y2, A, A; \
	ADD Y3, B, B; \
	ADD Y4, A, A; \
	ADD Y5, B, B

TEXT ·total64(SB), NOSPLIT, $0-40
	MOVQ p+8(FP), SI
	ORDER(swap+24(FP), BX, Y13)
	WHOLE(n+16(FP), done+32(FP))
	EACH(VPSHUFB, Y13)
	SUM4(VPADDQ, Y0, Y1)
	SUBQ $16, CX
	JNZ  loop
	VPADDQ Y1, Y0, Y0
	TOTAL
	MOVQ sum+0(FP), DI
	ADDQ AX, (DI)
none:
	RET

// TOPS adds up the upper 16 bits in 32 bits, which have room for a call.
#define TOPS(NAME, SHIFT) \
TEXT NAME(SB), NOSPLIT, $0-40; \
	MOVQ p+16(FP), SI; \
	VPXOR Y6, Y6, Y6; \
	VPXOR Y7, Y7, Y7; \
	WHOLE(n+24(FP), done+32(FP)); \
	SUM4(VPADDQ, Y0, Y1); \
	EACH(SHIFT, $16); \
	SUM4(VPADDD, Y6, Y7); \
	SUBQ $16, CX; \
	JNZ  loop; \
	VPADDD Y7, Y6, Y6; \
	VPSHUFD $0x0d, Y6, Y6; \
	VEXTRACTI128 $1, Y6, X7; \
	VPADDQ Y1, Y0, Y0; \
	TOTAL; \
	MOVQ sum+0(FP), DI; \
	ADDQ AX, (DI); \
	VPMOVSXDQ X6, X0; \
	VPMOVSXDQ X7, X1; \
	VPADDQ X1, X0, X0; \
	VPSHUFD $0x4e, X0, X1; \
	VPADDQ X1, X0, X0; \
	VMOVQ X0, AX; \
	MOVQ top+8(FP), DI; \
	ADDQ AX, (DI); \
none: \
	RET

TOPS(·totalTopI64, VPSRAD)
TOPS(·totalTopU64, VPSRLD)
NONZERO(·nonzero8, 0, NOTHING, VPCMPEQB)
NONZERO(·nonzero16, 1, NOTHING, VPCMPEQW)
NONZERO(·nonzero32, 2, NOTHING, VPCMPEQD)
NONZERO(·nonzero64, 3, NOTHING, VPCMPEQQ)
NONZERO(·nonzeroF32, 2, SIGN4, VPCMPEQD)
NONZERO(·nonzeroF64, 3, SIGN8, VPCMPEQQ)

TEXT ·squares16(SB), NOSPLIT, $0-48
	MOVQ         p+16(FP), SI
	MOVQ         n+24(FP), CX
	SHRQ         $4, CX
	MOVQ         CX, AX
	SHLQ         $4, AX
	MOVQ         AX, done+40(FP)
	JZ           none
	VPBROADCASTQ flip+32(FP), Y14
	VPCMPEQW Y15, Y15, Y15
	VPABSW   Y15, Y15         // ones
	VPXOR    Y13, Y13, Y13
	VPXOR    Y4, Y4, Y4       // sums, 32 bits
	VPXOR    Y5, Y5, Y5       // squares, 64 bits
	VPXOR    Y6, Y6, Y6

loop:
	VPXOR    (SI), Y14, Y0
	ADDQ     $32, SI
	VPMADDWD Y15, Y0, Y1
	VPMADDWD Y0, Y0, Y0
	VPADDD   Y1, Y4, Y4
	VPSRLQ   $32, Y0, Y2
	VPBLENDD $0xAA, Y13, Y0, Y0
	VPADDQ   Y2, Y5, Y5
	VPADDQ   Y0, Y6, Y6
	DECQ     CX
	JNZ      loop

	VPMOVSXDQ    X4, Y0
	VEXTRACTI128 $1, Y4, X4
	VPMOVSXDQ    X4, Y4
	VPADDQ       Y0, Y4, Y4
	VPADDQ       Y5, Y6, Y6
	VEXTRACTI128 $1, Y4, X0
	VEXTRACTI128 $1, Y6, X1
	VPADDQ       X0, X4, X4
	VPADDQ       X1, X6, X6
	VPUNPCKLQDQ  X6, X4, X0
	VPUNPCKHQDQ  X6, X4, X1
	VPADDQ       X1, X0, X0
	VMOVQ        X0, AX
	VPEXTRQ      $1, X0, BX
	MOVQ         sum+0(FP), DI
	ADDQ         AX, (DI)
	MOVQ         squares+8(FP), DI
	ADDQ         BX, (DI)
	VZEROUPPER

none:
	RET
