//go:build amd64 && !purego && !race

#include "textflag.h"
#include "loops_amd64.h"

// TWOSUM adds Y0 to HI, and the rounding error of this addition to LO, in four lanes: see TwoSum. It clobbers Y0 and Y4
// to Y7.
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

// The loops below reverse bytes by VPSHUFB with the shuffle in Y15. For native order the shuffle changes nothing; it
// does not slow down reading arrays that are larger than the caches.

// DEVIATIONS is the loop
//
//	for i := 0; i < m; i += 4 {
//		for j := 0; j < n&^3; j += 4 {
//			add(j, row[i][j:j+4]-from[j:j+4], …, row[i+3][j:j+4]-from[j:j+4])
//		}
//	}
//
// where ADD is add. It prefetches the lines of its parameter ahead, a fetch.
//
//	DI, SI     sum, from
//	AX         offset of column j in both
//	R8, R9     row i, and the distance of rows
//	R10        3*R9
//	R11        column j of row i
//	CX         remaining columns
//	R12, R13   first line to prefetch, and the distance of lines
//	DX         3*R13
//	Y0 to Y3   differences
//	Y14        from[j:j+4]
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

// ROWDEVIATIONS defines the loop NAME:
//
//	for i, x := range p[:n&^31] {
//		add(i%8, x-from)
//	}
//
// It treats the row as a block with 8 columns, four rows at a time. ADD adds differences to sums in registers. It
// prefetches at a distance of 2 KiB.
//
//	DI, SI     sum, lo
//	R8         p
//	CX         remaining groups of 32 numbers
//	Y0 to Y3   four columns of four rows
//	Y8, Y9     sums of columns 0 to 3 and 4 to 7
//	Y10, Y11   their rounding errors
//	Y14        from
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

// DEVIATIONS4 sets Y0 to Y3 to the four columns at AT of four rows, minus from.
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

// PREFETCH4 prefetches 4 lines starting at P, R13 bytes apart. DX is 3*R13.
#define PREFETCH4(P) \
	PREFETCHT0 (P); \
	PREFETCHT0 (P)(R13*1); \
	PREFETCHT0 (P)(R13*2); \
	PREFETCHT0 (P)(DX*1)

// SUMS and ROWSUMS add Y0 to Y3 to sums, as AddDeviations does.
#define SUMS SUM4(Y0, (DI)(AX*1)); \
	VMOVUPD Y0, (DI)(AX*1)

#define ROWSUMS(SUM, LO) SUM4(SUM, SUM)

// SUM4 sets TO to the sum of Y0 to Y3 and SUM.
#define SUM4(TO, SUM) \
	VADDPD Y1, Y0, Y0; \
	VADDPD Y3, Y2, Y2; \
	VADDPD Y2, Y0, Y0; \
	VADDPD SUM, Y0, TO

// SQUARES and ROWSQUARES add the squares of Y0 to Y3 to sums, as AddSquaredDeviations does. BX is lo.
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

// DOWN and ACROSS reduce the m rows to x, BLOCK bytes of a row at a time. ROW adds the block at R10 to the accumulators
// in Y0 to Y3.
//
//	DI         x
//	R8         the distance of rows
//	Y0 to Y3   accumulators
//	Y15        shuffle for native order

// DOWN reduces all rows block by block:
//
//	for range blocks {
//		START // loads or clears the accumulators
//		for range m {
//			ROW
//		}
//		END // stores the accumulators
//	}
//
// The accumulators of the next block are NEXT bytes further on. It prefetches each row at a distance of 256 bytes.
//
//	SI         block of the first row
//	CX         remaining blocks
//	R10, R11   block of a row, remaining rows
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

// ACROSS reduces row by row:
//
//	for range m {
//		for range blocks {
//			LOAD4
//			ROW
//			STORE4
//		}
//	}
//
// The accumulators of a block have 128 bytes. It prefetches at a distance of prefetchBytes.
//
//	SI, R11   row, remaining rows
//	R9        accumulators of a block
//	R10, CX   block of the row, remaining blocks
//	R12       prefetchBytes
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

// LOAD4 and STORE4 load and store the accumulators of a block.
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

// BLOCKS loads arguments, and sets the parameter n to the number of blocks of 1<<LOG columns. It clobbers AX, CX and
// DX.
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

// EITHER is ACROSS if inOrder is true, and DOWN otherwise.
#define EITHER(LOG, BLOCK, START, ROW, END) \
	BLOCKS(LOG); \
	MOVBLZX inOrder+48(FP), AX; \
	TESTL   AX, AX; \
	JNZ     inorder; \
	DOWN(BLOCK, 128, START, ROW, END); \
inorder: \
	ACROSS(BLOCK, ROW)

// EXTREMES defines the loop NAME, which reduces blocks of 128 bytes by ROW.
#define EXTREMES(NAME, LOG, ROW) \
TEXT NAME(SB), NOSPLIT, $0-64; \
	EITHER(LOG, 128, LOAD4(DI), ROW, STORE4(DI))

// ROW128 loads 128 bytes of a row in native order into Y4 to Y7.
#define ROW128 \
	VMOVDQU 0(R10), Y4; \
	VMOVDQU 32(R10), Y5; \
	VMOVDQU 64(R10), Y6; \
	VMOVDQU 96(R10), Y7; \
	VPSHUFB Y15, Y4, Y4; \
	VPSHUFB Y15, Y5, Y5; \
	VPSHUFB Y15, Y6, Y6; \
	VPSHUFB Y15, Y7, Y7

// INTEGERS reduces a block of integers by OP.
#define INTEGERS(OP) \
	ROW128; \
	OP Y4, Y0, Y0; \
	OP Y5, Y1, Y1; \
	OP Y6, Y2, Y2; \
	OP Y7, Y3, Y3

// VMINPD and VMAXPD return their second operand if both operands are zeros or one is NaN. So LEAST1 and GREATEST1 call
// them twice, with the operands in either order.

// LEAST1 replaces A by the lesser of A and X. VPOR keeps the sign of -0 and the bits of NaN.
#define LEAST1(MIN, X, A, TMP) \
	MIN  A, X, TMP; \
	MIN  X, A, A; \
	VPOR TMP, A, A

// GREATEST1 replaces A by the greater of A and X. VPAND keeps the sign of -0 only if both are -0. VPOR sets all bits if
// one is NaN.
#define GREATEST1(MAX, CMP, X, A, TMP, NAN) \
	CMP   $3, X, A, NAN; \
	MAX   A, X, TMP; \
	MAX   X, A, A; \
	VPAND TMP, A, A; \
	VPOR  NAN, A, A

// LEASTFLOATS and GREATESTFLOATS reduce a block of floats. Y8 to Y14 are scratch.
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

// LONGS reduces a block of int64 or uint64 by LEASTLONG or GREATESTLONG. FLIP prepares Y14 and compared numbers.
#define LONGS(OP, FLIP) \
	ROW128; \
	VPCMPEQQ Y14, Y14, Y14; \
	VPSLLQ $63, Y14, Y14; \
	OP(FLIP, Y4, Y0); \
	OP(FLIP, Y5, Y1); \
	OP(FLIP, Y6, Y2); \
	OP(FLIP, Y7, Y3)

// LEASTLONG and GREATESTLONG replace A by the lesser or the greater of A and X.
#define LEASTLONG(FLIP, X, A) \
	FLIP(X, A); \
	VPCMPGTQ  Y8, Y9, Y8; \
	VBLENDVPD Y8, X, A, A

#define GREATESTLONG(FLIP, X, A) \
	FLIP(X, A); \
	VPCMPGTQ  Y9, Y8, Y8; \
	VBLENDVPD Y8, X, A, A

// SIGNED and UNSIGNED set Y8 and Y9 to numbers that compare as X and A do, as signed numbers.
#define SIGNED(X, A) \
	VMOVDQA X, Y8; \
	VMOVDQA A, Y9

#define UNSIGNED(X, A) \
	VPXOR Y14, X, Y8; \
	VPXOR Y14, A, Y9

// COLUMNS defines the loop NAME, which adds rows of integers to sums. Each block of BLOCK bytes has sums of 128 bytes.
// ROW adds the integers to the accumulators, and ADD adds the accumulators to the sums.
#define COLUMNS(NAME, LOG, BLOCK, ROW, ADD) \
TEXT NAME(SB), NOSPLIT, $0-64; \
	EITHER(LOG, BLOCK, ZERO4, ROW, ADDED4(ADD))

// ZERO4 clears the accumulators.
#define ZERO4 \
	VPXOR Y0, Y0, Y0; \
	VPXOR Y1, Y1, Y1; \
	VPXOR Y2, Y2, Y2; \
	VPXOR Y3, Y3, Y3

// ADD4 adds Y4 to Y7 to the accumulators.
#define ADD4(ADD) \
	ADD Y4, Y0, Y0; \
	ADD Y5, Y1, Y1; \
	ADD Y6, Y2, Y2; \
	ADD Y7, Y3, Y3

// BYTEROW adds 32 integers of 1 byte, which WIDER extends to 32 bits. LONGERROW adds 64 bytes of integers, which WIDER
// extends to twice their size.
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

// NATIVE loads 16 bytes of a row in native order.
#define NATIVE(AT, X) \
	VMOVDQU AT(R10), X; \
	VPSHUFB X15, X, X

// ADDED4 adds the accumulators to the sums at DI.
#define ADDED4(ADD) \
	ADDED(ADD, 0, Y0); \
	ADDED(ADD, 32, Y1); \
	ADDED(ADD, 64, Y2); \
	ADDED(ADD, 96, Y3)

#define ADDED(ADD, AT, Y) \
	ADD     AT(DI), Y, Y; \
	VMOVDQU Y, AT(DI)

// ADDROWS defines the loop NAME for 8 rows of floats of SIZE bytes:
//
//	for j := range n &^ 3 {
//		TwoSum(&hi[j], &lo[j], ((row[0][j]+row[1][j])+(row[2][j]+row[3][j]))+
//			((row[4][j]+row[5][j])+(row[6][j]+row[7][j])))
//	}
//
// LOAD loads 4 numbers as float64 into Y, whose lower half is X. It prefetches the lines of its parameter ahead, a
// fetch.
//
//	DI, SI         hi, lo
//	R8, R11        column j of rows 0 and 4
//	R9, R10        the distance of rows, 3*R9
//	CX             remaining columns
//	R12, AX, R13   lines to prefetch for rows 0 and 4, and their distance
//	DX, BX         3*R13, the distance to the lines of the next step
//	Y0 to Y7       rows
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

// FLOATS32 and FLOATS64 load 4 numbers in native order as float64.
#define FLOATS32(AT, X, Y) \
	VMOVDQU   AT, X; \
	VPSHUFB   X15, X, X; \
	VCVTPS2PD X, Y

#define FLOATS64(AT, X, Y) \
	VMOVDQU AT, Y; \
	VPSHUFB Y15, Y, Y

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
EXTREMES(·leastI64, 4, LONGS(LEASTLONG, SIGNED))
EXTREMES(·greatestI64, 4, LONGS(GREATESTLONG, SIGNED))
EXTREMES(·leastU64, 4, LONGS(LEASTLONG, UNSIGNED))
EXTREMES(·greatestU64, 4, LONGS(GREATESTLONG, UNSIGNED))
COLUMNS(·addI8, 5, 32, BYTEROW(VPMOVSXBD), VPADDD)
COLUMNS(·addU8, 5, 32, BYTEROW(VPMOVZXBD), VPADDD)
COLUMNS(·addI16, 5, 64, LONGERROW(VPMOVSXWD, VPADDD), VPADDD)
COLUMNS(·addU16, 5, 64, LONGERROW(VPMOVZXWD, VPADDD), VPADDD)
COLUMNS(·addI32, 4, 64, LONGERROW(VPMOVSXDQ, VPADDQ), VPADDQ)
COLUMNS(·addU32, 4, 64, LONGERROW(VPMOVZXDQ, VPADDQ), VPADDQ)
