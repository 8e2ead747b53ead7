//go:build amd64 && !purego && !race

#include "textflag.h"
#include "loops_amd64.h"

// START loads the arguments of a loop for the extremes of numbers of 1<<LOG bytes.
//
//	DI    e
//	SI    p
//	CX    number of rows of 32 bytes
//	R12   prefetchBytes
//	Y15   shuffle for native order
//
// AX and BX are scratch.
#define START(LOG) \
	MOVQ e+0(FP), DI; \
	MOVQ p+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	SHRQ $(5-LOG), CX; \
	MOVQ CX, AX; \
	SHLQ $(5-LOG), AX; \
	MOVQ AX, done+40(FP); \
	JZ   none; \
	MOVQ ·prefetchBytes(SB), R12; \
	ORDER(swap+24(FP), BX, Y15)

// ROW loads a row into Y0, and ROWS4 loads four rows into Y0 to Y3, in native order.
#define ROW \
	VMOVDQU (SI), Y0; \
	VPSHUFB Y15, Y0, Y0; \
	ADDQ    $32, SI

#define ROWS4 \
	PREFETCHT0 (SI)(R12*1); \
	PREFETCHT0 64(SI)(R12*1); \
	VMOVDQU (SI), Y0; \
	VMOVDQU 32(SI), Y1; \
	VMOVDQU 64(SI), Y2; \
	VMOVDQU 96(SI), Y3; \
	ADDQ    $128, SI; \
	VPSHUFB Y15, Y0, Y0; \
	VPSHUFB Y15, Y1, Y1; \
	VPSHUFB Y15, Y2, Y2; \
	VPSHUFB Y15, Y3, Y3

// MINMAX calls ONE for each of the first one to four rows, so that a multiple of four remains. Then it calls FOUR for
// four rows at a time.
//
//	BX   remaining rows for ONE
//	CX   remaining groups of rows for FOUR
#define MINMAX(ONE, FOUR) \
	LEAQ  -1(CX), BX; \
	MOVQ  BX, CX; \
	ANDQ  $3, BX; \
	SHRQ  $2, CX; \
first: \
	ROW; \
	ONE; \
	DECQ  BX; \
	JGE   first; \
	TESTQ CX, CX; \
	JZ    end; \
four: \
	ROWS4; \
	FOUR; \
	DECQ  CX; \
	JNZ   four; \
end:

// LOADEXTREMES loads the least integers into Y4, the greatest into Y6, and flip into Y14.
#define LOADEXTREMES \
	VPBROADCASTQ flip+32(FP), Y14; \
	VMOVDQU 0(DI), Y4; \
	VMOVDQU 32(DI), Y6

#define STOREEXTREMES \
	VMOVDQU Y4, 0(DI); \
	VMOVDQU Y6, 32(DI); \
	VZEROUPPER; \
none: \
	RET

// MINMAXINT defines the loop NAME for integers:
//
//	for i, x := range p[:n&^(32>>LOG - 1)] {
//		lane := i % (32 >> LOG)
//		e.lo[lane], e.hi[lane] = min(e.lo[lane], x^flip), max(e.hi[lane], x^flip)
//	}
//
// It uses two vectors for each result, so that operations do not wait for each other.
//
//	Y4, Y5   least integers
//	Y6, Y7   greatest integers
//	Y14      flip
#define MINMAXINT(NAME, LOG, MIN, MAX, ONE, FOUR) \
TEXT NAME(SB), NOSPLIT, $0-48; \
	START(LOG); \
	LOADEXTREMES; \
	VMOVDQA Y4, Y5; \
	VMOVDQA Y6, Y7; \
	MINMAX(ONE, FOUR); \
	MIN     Y5, Y4, Y4; \
	MAX     Y7, Y6, Y6; \
	STOREEXTREMES

// INT1 and INT4 add one row and four rows to the extremes.
#define INT1(MIN, MAX) \
	VPXOR Y14, Y0, Y0; \
	MIN   Y0, Y4, Y4; \
	MAX   Y0, Y6, Y6

#define INT4(MIN, MAX) \
	SIGNED4; \
	MIN Y0, Y4, Y4; \
	MIN Y1, Y5, Y5; \
	MAX Y0, Y6, Y6; \
	MAX Y1, Y7, Y7; \
	MIN Y2, Y4, Y4; \
	MIN Y3, Y5, Y5; \
	MAX Y2, Y6, Y6; \
	MAX Y3, Y7, Y7

// SIGNED4 XORs four rows with flip.
#define SIGNED4 \
	VPXOR Y14, Y0, Y0; \
	VPXOR Y14, Y1, Y1; \
	VPXOR Y14, Y2, Y2; \
	VPXOR Y14, Y3, Y3

#define ONE8 INT1(VPMINSB, VPMAXSB)
#define FOUR8 INT4(VPMINSB, VPMAXSB)
#define ONE16 INT1(VPMINSW, VPMAXSW)
#define FOUR16 INT4(VPMINSW, VPMAXSW)
#define ONE32 INT1(VPMINSD, VPMAXSD)
#define FOUR32 INT4(VPMINSD, VPMAXSD)

// MIN64 and MAX64 replace A by the lesser or greater of A and X, as AVX2 has no such instructions for 64 bits. SORT64
// sets LO and HI to the lesser and greater of X and Y. Y12 is scratch.
#define MIN64(X, A) \
	VPCMPGTQ  X, A, Y12; \
	VBLENDVPD Y12, X, A, A

#define MAX64(X, A) \
	VPCMPGTQ  A, X, Y12; \
	VBLENDVPD Y12, X, A, A

#define SORT64(X, Y, LO, HI) \
	VPCMPGTQ Y, X, Y12; \
	VPXOR    X, Y, LO; \
	VPAND    Y12, LO, HI; \
	VPXOR    X, HI, LO; \
	VPXOR    Y, HI, HI

// BOUNDS sets Y9 to the least integers plus 1<<63, which is in Y13, and Y10 to the greatest integers minus Y9.
#define BOUNDS \
	VPADDQ Y13, Y4, Y9; \
	VPSUBQ Y9, Y6, Y10

// ONE64 adds one row to the extremes.
#define ONE64 \
	VPXOR Y14, Y0, Y0; \
	MIN64(Y0, Y4); \
	MAX64(Y0, Y6); \
	BOUNDS

// OUTSIDE sets the lanes of Y to all ones in which X is not between the least and the greatest integer. It compares
// differences to the least integer, as unsigned numbers that are mapped to signed ones.
#define OUTSIDE(X, Y) \
	VPSUBQ   Y9, X, Y; \
	VPCMPGTQ Y10, Y, Y

// FOUR64 adds four rows to the extremes. Most often the four rows do not change the extremes, and one comparison for
// each row shows that. When they do change, R9 makes the next 8 groups of rows skip the comparisons, because the
// numbers may be in ascending order.
#define FOUR64 \
	SIGNED4; \
	DECQ   R9; \
	JGE    change; \
	OUTSIDE(Y0, Y5); \
	OUTSIDE(Y1, Y7); \
	OUTSIDE(Y2, Y8); \
	OUTSIDE(Y3, Y11); \
	VPOR   Y5, Y7, Y7; \
	VPOR   Y8, Y11, Y11; \
	VPOR   Y7, Y11, Y11; \
	VPTEST Y11, Y11; \
	JZ     next; \
	MOVQ   $8, R9; \
change: \
	SORT64(Y0, Y1, Y5, Y7); \
	SORT64(Y2, Y3, Y8, Y11); \
	MIN64(Y8, Y5); \
	MAX64(Y11, Y7); \
	MIN64(Y5, Y4); \
	MAX64(Y7, Y6); \
	BOUNDS; \
next:

// MINMAXFLOAT defines the loop NAME for floats, which updates the extremes in e. MIN and MAX may have any result for
// NaN.
//
//	Y4, Y5     least and greatest floats
//	Y6, Y7     OR and AND of all bits
//	Y8         nonzero in lanes with NaN
//	Y11, Y12   scratch
#define MINMAXFLOAT(NAME, LOG, ONE, FOUR) \
TEXT NAME(SB), NOSPLIT, $0-48; \
	START(LOG); \
	VMOVDQU 0(DI), Y4; \
	VMOVDQU 32(DI), Y5; \
	VMOVDQU 64(DI), Y6; \
	VMOVDQU 96(DI), Y7; \
	VMOVDQU 128(DI), Y8; \
	MINMAX(ONE, FOUR); \
	VMOVDQU Y4, 0(DI); \
	VMOVDQU Y5, 32(DI); \
	VMOVDQU Y6, 64(DI); \
	VMOVDQU Y7, 96(DI); \
	VMOVDQU Y8, 128(DI); \
	VZEROUPPER; \
none: \
	RET

// FLOAT1 and FLOAT4 add one row and four rows to the extremes. UNORDERED finds NaN.
#define FLOAT1(MIN, MAX, UNORDERED) \
	MIN       Y0, Y4, Y4; \
	MAX       Y0, Y5, Y5; \
	VPOR      Y0, Y6, Y6; \
	VPAND     Y0, Y7, Y7; \
	UNORDERED $3, Y0, Y0, Y11; \
	VPOR      Y11, Y8, Y8

// OF4 combines four rows and A by OP, and stores the result in A.
#define OF4(OP, A) \
	OP Y1, Y0, Y11; \
	OP Y3, Y2, Y12; \
	OP Y12, Y11, Y11; \
	OP Y11, A, A

#define FLOAT4(MIN, MAX, UNORDERED) \
	OF4(MIN, Y4); \
	OF4(MAX, Y5); \
	OF4(VPOR, Y6); \
	OF4(VPAND, Y7); \
	UNORDERED $3, Y1, Y0, Y11; \
	UNORDERED $3, Y3, Y2, Y12; \
	VPOR      Y12, Y11, Y11; \
	VPOR      Y11, Y8, Y8

#define ONEF32 FLOAT1(VMINPS, VMAXPS, VCMPPS)
#define FOURF32 FLOAT4(VMINPS, VMAXPS, VCMPPS)
#define ONEF64 FLOAT1(VMINPD, VMAXPD, VCMPPD)
#define FOURF64 FLOAT4(VMINPD, VMAXPD, VCMPPD)

// SUMROWS is the loop
//
//	for i := range m {
//		out[i] = sumPlain(row[i][:n])
//	}
//
// over numbers of SIZE bytes. EIGHT(AT) adds the eight numbers at AT(SI) to Y0 and Y1. ONE loads the number at SI as a
// float64 into X2. It prefetches at a distance of ahead bytes.
//
//	DI       out
//	DX, R8   row, and the distance of rows
//	CX       remaining rows
//	SI       current number
//	R9       ahead
//	R10      n%8
//	R11      n/16
//	BX       remaining steps
//	Y0, Y1   the eight sums
//	Y15      shuffle for native order
#define SUMROWS(SIZE, EIGHT, ONE) \
	MOVQ out+0(FP), DI; \
	MOVQ p+8(FP), DX; \
	MOVQ stride+16(FP), R8; \
	MOVQ m+24(FP), CX; \
	MOVQ n+32(FP), R11; \
	MOVQ CX, done+56(FP); \
	MOVQ ahead+48(FP), R9; \
	ORDER(swap+40(FP), BX, Y15); \
	MOVQ R11, R10; \
	ANDQ $7, R10; \
	SHRQ $4, R11; \
row: \
	MOVQ   DX, SI; \
	VXORPD Y0, Y0, Y0; \
	VXORPD Y1, Y1, Y1; \
	MOVQ   R11, BX; \
	TESTQ  BX, BX; \
	JZ     eight; \
sixteen: \
	PREFETCHT0 (SI)(R9*1); \
	PREFETCHT0 64(SI)(R9*1); \
	EIGHT(0); \
	EIGHT((8*SIZE)); \
	ADDQ $(16*SIZE), SI; \
	DECQ BX; \
	JNZ  sixteen; \
eight: \
	TESTQ $8, n+32(FP); \
	JZ    total; \
	EIGHT(0); \
	ADDQ  $(8*SIZE), SI; \
total: \
	VHADDPD      Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD       X1, X0, X0; \
	VHADDPD      X0, X0, X0; \
	MOVQ         R10, BX; \
	TESTQ        BX, BX; \
	JZ           store; \
one: \
	ONE; \
	VADDSD X2, X0, X0; \
	ADDQ   $SIZE, SI; \
	DECQ   BX; \
	JNZ    one; \
store: \
	VMOVSD X0, (DI); \
	ADDQ   $8, DI; \
	ADDQ   R8, DX; \
	DECQ   CX; \
	JNZ    row; \
	VZEROUPPER; \
	RET

// EIGHTF64 and EIGHTF32 add eight numbers in native order, and EIGHTREVERSEDF64 and EIGHTREVERSEDF32 numbers whose
// bytes are reversed. X4 must be 0 for float32.
#define EIGHTF64(AT) \
	VADDPD (AT)(SI), Y0, Y0; \
	VADDPD (AT+32)(SI), Y1, Y1

#define EIGHTREVERSEDF64(AT) \
	VMOVDQU (AT)(SI), Y2; \
	VMOVDQU (AT+32)(SI), Y3; \
	VPSHUFB Y15, Y2, Y2; \
	VPSHUFB Y15, Y3, Y3; \
	VADDPD  Y2, Y0, Y0; \
	VADDPD  Y3, Y1, Y1

#define EIGHTF32(AT) \
	VCVTPS2PD (AT)(SI), Y2; \
	VCVTPS2PD (AT+16)(SI), Y3; \
	VADDPD    Y2, Y0, Y0; \
	VADDPD    Y3, Y1, Y1

#define EIGHTREVERSEDF32(AT) \
	VMOVDQU   (AT)(SI), X2; \
	VMOVDQU   (AT+16)(SI), X3; \
	VPSHUFB   X15, X2, X2; \
	VPSHUFB   X15, X3, X3; \
	VCVTPS2PD X2, Y2; \
	VCVTPS2PD X3, Y3; \
	VADDPD    Y2, Y0, Y0; \
	VADDPD    Y3, Y1, Y1

#define ONEOFF64 \
	VMOVQ   (SI), X2; \
	VPSHUFB X15, X2, X2

#define ONEOFF32 \
	VMOVD     (SI), X2; \
	VPSHUFB   X15, X2, X2; \
	VCVTSS2SD X2, X4, X2

TEXT ·sumRowsF64(SB), NOSPLIT, $0-64
	CMPQ swap+40(FP), $0
	JNE  reversed
	SUMROWS(8, EIGHTF64, ONEOFF64)

reversed:
	JMP sumRowsReversedF64<>(SB)

TEXT sumRowsReversedF64<>(SB), NOSPLIT, $0-64
	SUMROWS(8, EIGHTREVERSEDF64, ONEOFF64)

TEXT ·sumRowsF32(SB), NOSPLIT, $0-64
	CMPQ swap+40(FP), $0
	JNE  reversed
	VXORPS X4, X4, X4
	SUMROWS(4, EIGHTF32, ONEOFF32)

reversed:
	JMP sumRowsReversedF32<>(SB)

TEXT sumRowsReversedF32<>(SB), NOSPLIT, $0-64
	VXORPS X4, X4, X4
	SUMROWS(4, EIGHTREVERSEDF32, ONEOFF32)

MINMAXINT(·minMax8, 0, VPMINSB, VPMAXSB, ONE8, FOUR8)
MINMAXINT(·minMax16, 1, VPMINSW, VPMAXSW, ONE16, FOUR16)
MINMAXINT(·minMax32, 2, VPMINSD, VPMAXSD, ONE32, FOUR32)

TEXT ·minMax64(SB), NOSPLIT, $0-48
	START(3)
	LOADEXTREMES
	VPCMPEQQ Y13, Y13, Y13
	VPSLLQ   $63, Y13, Y13
	XORL     R9, R9
	MINMAX(ONE64, FOUR64)
	STOREEXTREMES

MINMAXFLOAT(·minMaxF32, 2, ONEF32, FOURF32)
MINMAXFLOAT(·minMaxF64, 3, ONEF64, FOURF64)
