//go:build amd64 && !purego && !race

#include "textflag.h"
#include "loops_amd64.h"

#define NOTHING

// TOTAL sets AX to the sum of the 4 integers in Y0. It clobbers Y0 and Y1.
#define TOTAL \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDQ       X1, X0, X0; \
	VPSHUFD      $0x4e, X0, X1; \
	VPADDQ       X1, X0, X0; \
	VMOVQ        X0, AX; \
	VZEROUPPER

// NONZERO defines the loop NAME for numbers of 1<<LOG bytes:
//
//	for _, x := range p[:n&^(32>>LOG - 1)] {
//		if x != 0 {
//			*count++
//		}
//	}
//
// It counts the bytes of numbers that are 0, in lanes of one byte for up to 255 vectors of 32 bytes, and then in lanes
// of 64 bits. SIGN removes the sign of floats. EQUAL compares lanes of the size of the numbers.
//
//	SI       p
//	CX, BX   bytes after these vectors, remaining bytes of these vectors
//	Y0, Y1   counts of 64 bits and of 8 bits
//	Y2       numbers, and then all ones in lanes that are 0
//	Y14      zeros
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

// SUMMED defines the loop NAME for integers of 1<<LOG bytes:
//
//	for _, x := range p[:n&^(64>>LOG - 1)] {
//		*sum += int64(x^FLIP) + OFFSET
//	}
//
// STEP(X, TMP, SUM, ADD) adds 32 bytes of integers in X to SUM by ADD. INIT loads the constant of STEP. FINISH turns
// the sum in Y0 into 4 integers of 64 bits. It prefetches at a distance of prefetchBytes.
//
//	SI         p
//	CX         remaining bytes
//	R8         prefetchBytes
//	Y0, Y1     sums
//	Y2, Y3     integers
//	Y4, Y5     scratch
//	Y13        shuffle for native order
//	Y14, Y15   constant of STEP, FLIP
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

// BYTES adds 8 unsigned bytes to each lane of 64 bits.
#define ZEROS VPXOR Y14, Y14, Y14
#define BYTES(X, TMP, SUM, ADD) \
	VPSADBW Y14, X, X; \
	ADD     X, SUM, SUM

SUMMED(·totalI8, 0, 0x8080808080808080, -128, ZEROS, BYTES, VPADDQ, NOTHING)
SUMMED(·totalU8, 0, 0, 0, ZEROS, BYTES, VPADDQ, NOTHING)

// SHORTS adds 2 signed integers of 16 bits to each lane of 32 bits. WIDENED converts these lanes to 64 bits.
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

// LONGS adds both halves of each 64 bits to a lane of 64 bits.
#define LOWER VPCMPEQQ Y14, Y14, Y14; VPSRLQ $32, Y14, Y14
#define LONGS(X, TMP, SUM, ADD) \
	VPAND  Y14, X, TMP; \
	VPSRLQ $32, X, X; \
	ADD    TMP, SUM, SUM; \
	ADD    X, SUM, SUM

SUMMED(·totalI32, 2, 0x8000000080000000, -0x80000000, LOWER, LONGS, VPADDQ, NOTHING)
SUMMED(·totalU32, 2, 0, 0, LOWER, LONGS, VPADDQ, NOTHING)

// WHOLE starts a loop over n&^15 integers of 8 bytes at SI. It loads 16 of them.
//
//	CX         remaining integers
//	R8         prefetchBytes
//	Y0, Y1     sums
//	Y2 to Y5   integers
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

// EACH applies OP to the integers in Y2 to Y5.
#define EACH(OP, WITH) \
	OP WITH, Y2, Y2; \
	OP WITH, Y3, Y3; \
	OP WITH, Y4, Y4; \
	OP WITH, Y5, Y5

// SUM4 adds the integers in Y2 to Y5 to the sums in A and B.
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

// TOPS defines the loop NAME, which does
//
//	for _, x := range p[:n&^15] {
//		*sum += int64(x)
//		*top += int64(x >> 48)
//	}
//
// It adds up the upper 16 bits in lanes of 32 bits, which do not overflow in one call. SHIFT shifts each lane of 32
// bits to the right. Y6 and Y7 are the sums of shifted lanes; the odd lanes hold the upper bits.
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

// squares16 does
//
//	for _, x := range p[:n&^15] {
//		*sum += int64(x ^ flip)
//		*squares += uint64(x^flip) * uint64(x^flip)
//	}
//
//	SI       p
//	CX       remaining groups of 16 integers
//	Y0       integers, and then sums of two squares in lanes of 32 bits
//	Y1       sums of two integers in lanes of 32 bits
//	Y4       sums, 32 bits
//	Y5, Y6   squares of odd and even lanes, 64 bits
//	Y13      zeros
//	Y14      flip
//	Y15      ones
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
	VPABSW   Y15, Y15
	VPXOR    Y13, Y13, Y13
	VPXOR    Y4, Y4, Y4
	VPXOR    Y5, Y5, Y5
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
