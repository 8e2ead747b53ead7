//go:build amd64 && !purego && !race

#include "textflag.h"
#include "loops_amd64.h"

// TWOSUM adds Y0 to HI, and what that loses by rounding, of HI and of Y0, to LO: see TwoSum.
#define TWOSUM(HI, LO) \
	VMOVUPD HI, Y4; \
	VADDPD  Y0, Y4, Y5; \
	VSUBPD  Y4, Y5, Y6; \
	VSUBPD  Y6, Y5, Y7; \
	VSUBPD  Y7, Y4, Y7; \
	VSUBPD  Y6, Y0, Y0; \
	VADDPD  Y0, Y7, Y7; \
	VADDPD  LO, Y7, Y7; \
	VMOVUPD Y5, HI; \
	VMOVUPD Y7, LO

// The loops below put numbers into native order by VPSHUFB, with the mask in Y15. For numbers that are in native
// order the mask changes nothing: arrays larger than the caches took no longer with it.

// DEVIATIONS and ADDROWS prefetch what is in their parameter ahead, a fetch.

// DEVIATIONS makes Y0 to Y3 the next 4 columns of 4 rows less from, does ADD, and so on for n
// columns of m rows.
#define DEVIATIONS(ADD) \
	MOVQ    n+48(FP), CX; \
	ANDQ    $-4, CX; \
	MOVQ    CX, n+48(FP); \
	MOVQ    CX, done+96(FP); \
	JZ      none; \
	SHRQ    $2, m+40(FP); \
	JZ      none; \
	MOVQ    sum+0(FP), DI; \
	MOVQ    from+16(FP), SI; \
	MOVQ    p+24(FP), R8; \
	MOVQ    stride+32(FP), R9; \
	ORDER(swap+56(FP), DX, Y15); \
	MOVQ    ahead_first+64(FP), R12; \
	MOVQ    ahead_apart+72(FP), R13; \
	ADDQ    R8, R12; \
	LEAQ    (R13)(R13*2), DX; \
	LEAQ    (R9)(R9*2), R10; \
rows: \
	MOVQ    n+48(FP), CX; \
	MOVQ    R8, R11; \
	XORQ    AX, AX; \
columns: \
	VMOVUPD (SI)(AX*1), Y14; \
	VMOVDQU (R11), Y0; \
	VMOVDQU (R11)(R9*1), Y1; \
	VMOVDQU (R11)(R9*2), Y2; \
	VMOVDQU (R11)(R10*1), Y3; \
	VPSHUFB Y15, Y0, Y0; \
	VPSHUFB Y15, Y1, Y1; \
	VPSHUFB Y15, Y2, Y2; \
	VPSHUFB Y15, Y3, Y3; \
	VSUBPD  Y14, Y0, Y0; \
	VSUBPD  Y14, Y1, Y1; \
	VSUBPD  Y14, Y2, Y2; \
	VSUBPD  Y14, Y3, Y3; \
	PREFETCH4(R12); \
	ADD; \
	ADDQ    $32, AX; \
	ADDQ    $32, R11; \
	ADDQ    ahead_next+80(FP), R12; \
	SUBQ    $4, CX; \
	JNZ     columns; \
	LEAQ    (R8)(R9*4), R8; \
	ADDQ    ahead_back+88(FP), R12; \
	DECQ    m+40(FP); \
	JNZ     rows; \
	VZEROUPPER; \
none: \
	RET

// ROWDEVIATIONS is DEVIATIONS for 8 columns of rows that follow one another, 4 at a time, all less one number, with the
// sums in registers. It prefetches what is 2 KiB further on.
#define ROWDEVIATIONS(NAME, ADD) \
TEXT NAME(SB), NOSPLIT, $0-56; \
	MOVQ    sum+0(FP), DI; \
	MOVQ    lo+8(FP), SI; \
	VBROADCASTSD from+16(FP), Y14; \
	MOVQ    p+24(FP), R8; \
	MOVQ    n+32(FP), CX; \
	SHRQ    $5, CX; \
	MOVQ    CX, AX; \
	SHLQ    $5, AX; \
	MOVQ    AX, done+48(FP); \
	JZ      none; \
	ORDER(swap+40(FP), DX, Y15); \
	VXORPD  Y8, Y8, Y8; \
	VXORPD  Y9, Y9, Y9; \
	VXORPD  Y10, Y10, Y10; \
	VXORPD  Y11, Y11, Y11; \
rows: \
	DEVIATIONS4(0); \
	PREFETCHT0 2048(R8); \
	PREFETCHT0 2112(R8); \
	ADD(Y8, Y10); \
	DEVIATIONS4(32); \
	PREFETCHT0 2176(R8); \
	PREFETCHT0 2240(R8); \
	ADD(Y9, Y11); \
	ADDQ    $256, R8; \
	DECQ    CX; \
	JNZ     rows; \
	VMOVUPD Y8, 0(DI); \
	VMOVUPD Y9, 32(DI); \
	VMOVUPD Y10, 0(SI); \
	VMOVUPD Y11, 32(SI); \
	VZEROUPPER; \
none: \
	RET

#define DEVIATIONS4(AT) \
	VMOVDQU (AT+0)(R8), Y0; \
	VMOVDQU (AT+64)(R8), Y1; \
	VMOVDQU (AT+128)(R8), Y2; \
	VMOVDQU (AT+192)(R8), Y3; \
	VPSHUFB Y15, Y0, Y0; \
	VPSHUFB Y15, Y1, Y1; \
	VPSHUFB Y15, Y2, Y2; \
	VPSHUFB Y15, Y3, Y3; \
	VSUBPD  Y14, Y0, Y0; \
	VSUBPD  Y14, Y1, Y1; \
	VSUBPD  Y14, Y2, Y2; \
	VSUBPD  Y14, Y3, Y3

// PREFETCH4 prefetches 4 lines, of which the first is at P, R13 bytes apart. DX has 3 times that.
#define PREFETCH4(P) \
	PREFETCHT0 (P); \
	PREFETCHT0 (P)(R13*1); \
	PREFETCHT0 (P)(R13*2); \
	PREFETCHT0 (P)(DX*1)

#define SUMS SUM4(Y0, (DI)(AX*1)); \
	VMOVUPD Y0, (DI)(AX*1)

#define ROWSUMS(SUM, LO) SUM4(SUM, SUM)

// SUM4 makes TO the sum of Y0 to Y3 and of SUM.
#define SUM4(TO, SUM) \
	VADDPD Y1, Y0, Y0; \
	VADDPD Y3, Y2, Y2; \
	VADDPD Y2, Y0, Y0; \
	VADDPD SUM, Y0, TO

#define SQUARES ROWSQUARES((DI)(AX*1), (BX)(AX*1))

#define ROWSQUARES(SUM, LO) \
	VMULPD  Y0, Y0, Y0; \
	VMULPD  Y1, Y1, Y1; \
	VMULPD  Y2, Y2, Y2; \
	VMULPD  Y3, Y3, Y3; \
	VADDPD  Y1, Y0, Y0; \
	VADDPD  Y3, Y2, Y2; \
	VADDPD  Y2, Y0, Y0; \
	TWOSUM(SUM, LO)

// The loops below do ROW to m rows at R10, BLOCK bytes of each at a time, and what is in Y0 to Y3.

// DOWN takes the first block of each row, and then the next: START begins such a column of blocks, with the results that
// are NEXT bytes further on for each, at DI, and END ends it. It prefetches what is 256 bytes further on in each row.
#define DOWN(BLOCK, NEXT, START, ROW, END) \
	MOVQ p+8(FP), SI; \
	MOVQ n+32(FP), CX; \
down: \
	START; \
	MOVQ SI, R10; \
	MOVQ m+24(FP), R11; \
downRow: \
	ROW; \
	PREFETCHT0 256(R10); \
	PREFETCHT0 (256+BLOCK-1)(R10); \
	ADDQ R8, R10; \
	DECQ R11; \
	JNZ  downRow; \
	END; \
	ADDQ $NEXT, DI; \
	ADDQ $BLOCK, SI; \
	DECQ CX; \
	JNZ  down; \
	VZEROUPPER; \
none: \
	RET

// ACROSS takes one row after the other. The results are 128 bytes for each block. It prefetches prefetchBytes further
// on.
#define ACROSS(BLOCK, ROW) \
	MOVQ p+8(FP), SI; \
	MOVQ ·prefetchBytes(SB), R12; \
	MOVQ m+24(FP), R11; \
across: \
	MOVQ DI, R9; \
	MOVQ SI, R10; \
	MOVQ n+32(FP), CX; \
acrossBlock: \
	LOAD4(R9); \
	ROW; \
	STORE4(R9); \
	PREFETCHT0 (R10)(R12*1); \
	PREFETCHT0 (BLOCK-1)(R10)(R12*1); \
	ADDQ $128, R9; \
	ADDQ $BLOCK, R10; \
	DECQ CX; \
	JNZ  acrossBlock; \
	ADDQ R8, SI; \
	DECQ R11; \
	JNZ  across; \
	VZEROUPPER; \
	RET

#define LOAD4(P) \
	VMOVDQU 0(P), Y0; \
	VMOVDQU 32(P), Y1; \
	VMOVDQU 64(P), Y2; \
	VMOVDQU 96(P), Y3

#define STORE4(P) \
	VMOVDQU Y0, 0(P); \
	VMOVDQU Y1, 32(P); \
	VMOVDQU Y2, 64(P); \
	VMOVDQU Y3, 96(P)

// BLOCKS makes n how many blocks there are, of 1<<LOG columns.
#define BLOCKS(LOG) \
	MOVQ x+0(FP), DI; \
	MOVQ stride+16(FP), R8; \
	MOVQ n+32(FP), CX; \
	SHRQ $LOG, CX; \
	MOVQ CX, n+32(FP); \
	MOVQ CX, AX; \
	SHLQ $LOG, AX; \
	MOVQ AX, done+56(FP); \
	JZ   none; \
	ORDER(swap+40(FP), DX, Y15)

// EITHER is DOWN, or ACROSS if inOrder.
#define EITHER(LOG, BLOCK, START, ROW, END) \
	BLOCKS(LOG); \
	MOVBLZX inOrder+48(FP), AX; \
	TESTL   AX, AX; \
	JNZ     inorder; \
	DOWN(BLOCK, 128, START, ROW, END); \
inorder: \
	ACROSS(BLOCK, ROW)

// EXTREMES does ROW to blocks of 128 bytes.
#define EXTREMES(NAME, LOG, ROW) \
TEXT NAME(SB), NOSPLIT, $0-64; \
	EITHER(LOG, 128, LOAD4(DI), ROW, STORE4(DI))

#define ROW128 \
	VMOVDQU 0(R10), Y4; \
	VMOVDQU 32(R10), Y5; \
	VMOVDQU 64(R10), Y6; \
	VMOVDQU 96(R10), Y7; \
	VPSHUFB Y15, Y4, Y4; \
	VPSHUFB Y15, Y5, Y5; \
	VPSHUFB Y15, Y6, Y6; \
	VPSHUFB Y15, Y7, Y7

#define INTEGERS(OP) \
	ROW128; \
	OP Y4, Y0, Y0; \
	OP Y5, Y1, Y1; \
	OP Y6, Y2, Y2; \
	OP Y7, Y3, Y3

// VMINPD and VMAXPD return the second operand if both are zeros or one is NaN, so LEAST1 and GREATEST1 take their operands
// in both orders.

// LEAST1 sets A to the lesser of A and X. VPOR keeps the sign of -0, and the bits that make a NaN.
#define LEAST1(MIN, X, A, TMP) \
	MIN  A, X, TMP; \
	MIN  X, A, A; \
	VPOR TMP, A, A

// GREATEST1 sets A to the greater of A and X. VPAND keeps the sign of -0 only if both have it, and VPOR sets all bits where
// one is NaN.
#define GREATEST1(MAX, CMP, X, A, TMP, NAN) \
	CMP   $3, X, A, NAN; \
	MAX   A, X, TMP; \
	MAX   X, A, A; \
	VPAND TMP, A, A; \
	VPOR  NAN, A, A

#define LEASTFLOATS(MIN) \
	ROW128; \
	LEAST1(MIN, Y4, Y0, Y8); \
	LEAST1(MIN, Y5, Y1, Y9); \
	LEAST1(MIN, Y6, Y2, Y10); \
	LEAST1(MIN, Y7, Y3, Y11)

#define GREATESTFLOATS(MAX, CMP) \
	ROW128; \
	GREATEST1(MAX, CMP, Y4, Y0, Y8, Y12); \
	GREATEST1(MAX, CMP, Y5, Y1, Y9, Y13); \
	GREATEST1(MAX, CMP, Y6, Y2, Y10, Y14); \
	GREATEST1(MAX, CMP, Y7, Y3, Y11, Y12)

// COLUMNS adds rows of integers to sums, whose blocks have 128 bytes: ROW adds to the accumulators, Y0 to Y3, by ADD.
#define COLUMNS(NAME, LOG, BLOCK, ROW, ADD) \
TEXT NAME(SB), NOSPLIT, $0-64; \
	EITHER(LOG, BLOCK, ZERO4, ROW, ADDED4(ADD))

#define ZERO4 \
	VPXOR Y0, Y0, Y0; \
	VPXOR Y1, Y1, Y1; \
	VPXOR Y2, Y2, Y2; \
	VPXOR Y3, Y3, Y3

#define ADD4(ADD) \
	ADD Y4, Y0, Y0; \
	ADD Y5, Y1, Y1; \
	ADD Y6, Y2, Y2; \
	ADD Y7, Y3, Y3

#define BYTEROW(WIDER) \
	WIDER (R10), Y4; \
	WIDER 8(R10), Y5; \
	WIDER 16(R10), Y6; \
	WIDER 24(R10), Y7; \
	ADD4(VPADDD)

#define LONGERROW(WIDER, ADD) \
	NATIVE(0, X4); \
	NATIVE(16, X5); \
	NATIVE(32, X6); \
	NATIVE(48, X7); \
	WIDER X4, Y4; \
	WIDER X5, Y5; \
	WIDER X6, Y6; \
	WIDER X7, Y7; \
	ADD4(ADD)

#define NATIVE(AT, X) \
	VMOVDQU AT(R10), X; \
	VPSHUFB X15, X, X

#define ADDED4(ADD) \
	ADDED(ADD, 0, Y0); \
	ADDED(ADD, 32, Y1); \
	ADDED(ADD, 64, Y2); \
	ADDED(ADD, 96, Y3)

#define ADDED(ADD, AT, Y) \
	ADD     AT(DI), Y, Y; \
	VMOVDQU Y, AT(DI)

// ADDROWS adds 8 rows of n floats, as AddFloats does. LOAD makes Y, which is the same register as X,
// 4 numbers of SIZE bytes as float64.
#define ADDROWS(NAME, SIZE, LOAD) \
TEXT NAME(SB), NOSPLIT, $0-88; \
	MOVQ hi+0(FP), DI; \
	MOVQ lo+8(FP), SI; \
	MOVQ p+16(FP), R8; \
	MOVQ stride+24(FP), R9; \
	MOVQ n+32(FP), CX; \
	ANDQ $-4, CX; \
	MOVQ CX, done+80(FP); \
	JZ   none; \
	ORDER(swap+40(FP), DX, Y15); \
	MOVQ ahead_first+48(FP), R12; \
	MOVQ ahead_apart+56(FP), R13; \
	MOVQ ahead_next+64(FP), BX; \
	ADDQ R8, R12; \
	LEAQ (R13)(R13*2), DX; \
	LEAQ (R12)(R13*4), AX; \
	LEAQ (R9)(R9*2), R10; \
	LEAQ (R8)(R9*4), R11; \
loop: \
	PREFETCH4(R12); \
	PREFETCH4(AX); \
	LOAD((R8), X0, Y0); \
	LOAD((R8)(R9*1), X4, Y4); \
	LOAD((R8)(R9*2), X1, Y1); \
	LOAD((R8)(R10*1), X5, Y5); \
	LOAD((R11), X2, Y2); \
	LOAD((R11)(R9*1), X6, Y6); \
	LOAD((R11)(R9*2), X3, Y3); \
	LOAD((R11)(R10*1), X7, Y7); \
	VADDPD  Y4, Y0, Y0; \
	VADDPD  Y5, Y1, Y1; \
	VADDPD  Y6, Y2, Y2; \
	VADDPD  Y7, Y3, Y3; \
	VADDPD  Y1, Y0, Y0; \
	VADDPD  Y3, Y2, Y2; \
	VADDPD  Y2, Y0, Y0; \
	TWOSUM((DI), (SI)); \
	ADDQ    $32, DI; \
	ADDQ    $32, SI; \
	ADDQ    $(4*SIZE), R8; \
	ADDQ    $(4*SIZE), R11; \
	ADDQ    BX, R12; \
	ADDQ    BX, AX; \
	SUBQ    $4, CX; \
	JNZ     loop; \
	VZEROUPPER; \
none: \
	RET

#define FLOATS32(AT, X, Y) \
	VMOVDQU   AT, X; \
	VPSHUFB   X15, X, X; \
	VCVTPS2PD X, Y

#define FLOATS64(AT, X, Y) \
	VMOVDQU AT, Y; \
	VPSHUFB Y15, Y, Y

// NOTBETTER compares numbers of 1<<LOG bytes with those of best, 128 bytes at a time, and finds how many come before the
// first 32 bytes in which TEST fails. TEST(X, Y) sets all bits of the numbers in X that pass, where
// Y has those of best. Y14 turns unsigned integers into signed ones. What is ahead bytes further on is prefetched.
#define NOTBETTER(NAME, LOG, TEST) \
TEXT NAME(SB), NOSPLIT, $0-56; \
	MOVQ best+0(FP), DI; \
	MOVQ p+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	ORDER(swap+24(FP), BX, Y15); \
	XORQ AX, AX; \
	SHLQ $LOG, CX; \
	ANDQ $-128, CX; \
	JZ   end; \
	MOVQ ahead+40(FP), R8; \
	VPBROADCASTQ flip+32(FP), Y14; \
	VPCMPEQB Y13, Y13, Y13; \
	ADDQ SI, R8; \
loop: \
	PREFETCHT0 0(R8)(AX*1); \
	PREFETCHT0 64(R8)(AX*1); \
	NOTBETTER32(0, Y0, Y4, TEST); \
	NOTBETTER32(32, Y1, Y5, TEST); \
	NOTBETTER32(64, Y2, Y6, TEST); \
	NOTBETTER32(96, Y3, Y7, TEST); \
	VPAND     Y0, Y1, Y8; \
	VPAND     Y2, Y3, Y9; \
	VPAND     Y8, Y9, Y8; \
	VPMOVMSKB Y8, BX; \
	CMPL      BX, $-1; \
	JNE       found; \
	ADDQ      $128, AX; \
	CMPQ      AX, CX; \
	JB        loop; \
	JMP       end; \
found: \
	VPMOVMSKB Y0, BX; \
	CMPL      BX, $-1; \
	JNE       end; \
	ADDQ      $32, AX; \
	VPMOVMSKB Y1, BX; \
	CMPL      BX, $-1; \
	JNE       end; \
	ADDQ      $32, AX; \
	VPMOVMSKB Y2, BX; \
	CMPL      BX, $-1; \
	JNE       end; \
	ADDQ      $32, AX; \
end: \
	SHRQ $LOG, AX; \
	MOVQ AX, done+48(FP); \
	VZEROUPPER; \
	RET

#define NOTBETTER32(AT, X, Y, TEST) \
	VMOVDQU AT(SI)(AX*1), X; \
	VPSHUFB Y15, X, X; \
	VPXOR   Y14, X, X; \
	VPXOR   AT(DI)(AX*1), Y14, Y; \
	TEST(X, Y)

#define ATMOST(MORE, X, Y) \
	MORE  Y, X, X; \
	VPXOR Y13, X, X

#define ATLEAST(MORE, X, Y) \
	MORE  X, Y, X; \
	VPXOR Y13, X, X

#define ATMOST8(X, Y) ATMOST(VPCMPGTB, X, Y)
#define ATMOST16(X, Y) ATMOST(VPCMPGTW, X, Y)
#define ATMOST32(X, Y) ATMOST(VPCMPGTD, X, Y)
#define ATMOST64(X, Y) ATMOST(VPCMPGTQ, X, Y)
#define ATMOSTF32(X, Y) VCMPPS $0x12, Y, X, X
#define ATMOSTF64(X, Y) VCMPPD $0x12, Y, X, X
#define ATLEAST8(X, Y) ATLEAST(VPCMPGTB, X, Y)
#define ATLEAST16(X, Y) ATLEAST(VPCMPGTW, X, Y)
#define ATLEAST32(X, Y) ATLEAST(VPCMPGTD, X, Y)
#define ATLEAST64(X, Y) ATLEAST(VPCMPGTQ, X, Y)
#define ATLEASTF32(X, Y) VCMPPS $0x1D, Y, X, X
#define ATLEASTF64(X, Y) VCMPPD $0x1D, Y, X, X

ADDROWS(·addFloatsF32, 4, FLOATS32)
ADDROWS(·addFloatsF64, 8, FLOATS64)

TEXT ·deviations(SB), NOSPLIT, $0-104
	DEVIATIONS(SUMS)

TEXT ·squaredDeviations(SB), NOSPLIT, $0-104
	MOVQ lo+8(FP), BX
	DEVIATIONS(SQUARES)

ROWDEVIATIONS(·rowDeviations, ROWSUMS)
ROWDEVIATIONS(·squaredRowDeviations, ROWSQUARES)
EXTREMES(·leastI8, 7, INTEGERS(VPMINSB))
EXTREMES(·greatestI8, 7, INTEGERS(VPMAXSB))
EXTREMES(·leastU8, 7, INTEGERS(VPMINUB))
EXTREMES(·greatestU8, 7, INTEGERS(VPMAXUB))
EXTREMES(·leastI16, 6, INTEGERS(VPMINSW))
EXTREMES(·greatestI16, 6, INTEGERS(VPMAXSW))
EXTREMES(·leastU16, 6, INTEGERS(VPMINUW))
EXTREMES(·greatestU16, 6, INTEGERS(VPMAXUW))
EXTREMES(·leastI32, 5, INTEGERS(VPMINSD))
EXTREMES(·greatestI32, 5, INTEGERS(VPMAXSD))
EXTREMES(·leastU32, 5, INTEGERS(VPMINUD))
EXTREMES(·greatestU32, 5, INTEGERS(VPMAXUD))
EXTREMES(·leastF32, 5, LEASTFLOATS(VMINPS))
EXTREMES(·greatestF32, 5, GREATESTFLOATS(VMAXPS, VCMPPS))
EXTREMES(·leastF64, 4, LEASTFLOATS(VMINPD))
EXTREMES(·greatestF64, 4, GREATESTFLOATS(VMAXPD, VCMPPD))
COLUMNS(·addI8, 5, 32, BYTEROW(VPMOVSXBD), VPADDD)
COLUMNS(·addU8, 5, 32, BYTEROW(VPMOVZXBD), VPADDD)
COLUMNS(·addI16, 5, 64, LONGERROW(VPMOVSXWD, VPADDD), VPADDD)
COLUMNS(·addU16, 5, 64, LONGERROW(VPMOVZXWD, VPADDD), VPADDD)
COLUMNS(·addI32, 4, 64, LONGERROW(VPMOVSXDQ, VPADDQ), VPADDQ)
COLUMNS(·addU32, 4, 64, LONGERROW(VPMOVZXDQ, VPADDQ), VPADDQ)
NOTBETTER(·atMost8, 0, ATMOST8)
NOTBETTER(·atMost16, 1, ATMOST16)
NOTBETTER(·atMost32, 2, ATMOST32)
NOTBETTER(·atMost64, 3, ATMOST64)
NOTBETTER(·atMostF32, 2, ATMOSTF32)
NOTBETTER(·atMostF64, 3, ATMOSTF64)
NOTBETTER(·atLeast8, 0, ATLEAST8)
NOTBETTER(·atLeast16, 1, ATLEAST16)
NOTBETTER(·atLeast32, 2, ATLEAST32)
NOTBETTER(·atLeast64, 3, ATLEAST64)
NOTBETTER(·atLeastF32, 2, ATLEASTF32)
NOTBETTER(·atLeastF64, 3, ATLEASTF64)
