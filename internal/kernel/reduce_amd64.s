//go:build amd64 && !purego && !race

#include "textflag.h"
#include "loops_amd64.h"

// START is the start of all functions for extremes, of numbers of 1<<LOG bytes: DI has what there are so far, SI is the
// first of CX rows of 32 bytes, R12 says how far ahead it prefetches, and the mask in Y15 puts numbers into native order.
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

// MINMAX does ONE to each of the first one to four rows, and FOUR to four at a time of
// the others.
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

// Y4 has the least integers, Y6 the greatest; Y14 turns unsigned ones into signed ones.
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

// MINMAXINT also has the least and the greatest in Y5 and Y7.
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

// There are no instructions for the least and the greatest of 64 bits.
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

// BOUNDS makes Y9 the least plus 2^63, which Y13 has, and Y10 the greatest less that.
#define BOUNDS \
	VPADDQ Y13, Y4, Y9; \
	VPSUBQ Y9, Y6, Y10

#define ONE64 \
	VPXOR Y14, Y0, Y0; \
	MIN64(Y0, Y4); \
	MAX64(Y0, Y6); \
	BOUNDS

// OUTSIDE says in Y which X are not from the least to the greatest: by how much they are more
// than the least, as an unsigned number that is turned into a signed one.
#define OUTSIDE(X, Y) \
	VPSUBQ   Y9, X, Y; \
	VPCMPGTQ Y10, Y, Y

// Of most numbers, four rows change nothing, which takes one comparison a row. After
// rows that do, R9 counts others that go without: numbers may ascend.
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

// Y4 has the least floats, Y5 the greatest, Y6 all bits there are, Y7 the bits that all
// have, and Y8 what is NaN. What MIN and MAX make of NaN does not matter.
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

#define FLOAT1(MIN, MAX, UNORDERED) \
	MIN       Y0, Y4, Y4; \
	MAX       Y0, Y5, Y5; \
	VPOR      Y0, Y6, Y6; \
	VPAND     Y0, Y7, Y7; \
	UNORDERED $3, Y0, Y0, Y11; \
	VPOR      Y11, Y8, Y8

// OF4 adds what OP is of four rows to A.
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

// SUMROWS sums m rows of n numbers of SIZE bytes, as sumPlain does: EIGHT(AT) adds the eight that are AT bytes behind SI to
// Y0 and Y1, and with ONE, the number at SI is in X2, in the order that the mask in Y15 makes of that in memory. It prefetches
// what is ahead bytes further on.
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
