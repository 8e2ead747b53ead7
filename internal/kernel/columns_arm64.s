//go:build arm64 && !purego && !race

#include "textflag.h"
#include "loops_arm64.h"
#include "neon_arm64.h"

// COLUMNS defines the loop NAME, which reduces the m rows to x, BYTES of a row of numbers of 1<<LOG bytes at a time:
//
//	for range blocks {
//		START // loads the accumulators
//		for range m {
//			LOAD // loads the block of the next row
//			STEP // adds the block to the accumulators
//		}
//		END // stores the accumulators
//	}
//
// If bytes are reversed, TURNING follows LOAD.
//
//	R0         x
//	R1         block of the first row
//	R2         the distance of rows
//	R3, R5     m, remaining rows
//	R4         block of a row
//	R6         remaining columns
//	R7         swap
//	V0 to V3   accumulators
//	V4 to V7   block of a row, or V16 and V17
//	V31        shuffle for native order
#define COLUMNS(NAME, LOG, BYTES, START, LOAD, TURNING, STEP, END) \
TEXT NAME(SB), NOSPLIT, $0-64; \
	MOVD x+0(FP), R0; \
	MOVD p+8(FP), R1; \
	MOVD stride+16(FP), R2; \
	MOVD m+24(FP), R3; \
	MOVD n+32(FP), R6; \
	MOVD swap+40(FP), R7; \
	AND  $~((BYTES>>LOG)-1), R6; \
	MOVD R6, done+56(FP); \
	CBZ  R6, none; \
	ORDER(swap+40(FP), V31); \
block: \
	MOVD R1, R4; \
	MOVD R3, R5; \
	START; \
	CBNZ R7, swapped; \
native: \
	LOAD; \
	STEP; \
	SUB  $1, R5; \
	CBNZ R5, native; \
	JMP  end; \
swapped: \
	LOAD; \
	TURNING; \
	STEP; \
	SUB  $1, R5; \
	CBNZ R5, swapped; \
end: \
	END; \
	ADD  $BYTES, R1; \
	SUB  $(BYTES>>LOG), R6; \
	CBNZ R6, block; \
none: \
	RET

#define START4 VLD1 (R0), [V0.B16, V1.B16, V2.B16, V3.B16]
#define END4 VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)
#define ROW64 VLD1.P (R4)(R2), [V4.B16, V5.B16, V6.B16, V7.B16]
#define TURN64 TURN4(V4, V5, V6, V7)

#define EACH4(OP) \
	OP(4, 0, 0); \
	OP(5, 1, 1); \
	OP(6, 2, 2); \
	OP(7, 3, 3)

#define EXTREMES(NAME, LOG, OP) COLUMNS(NAME, LOG, 64, START4, ROW64, TURN64, EACH4(OP), END4)

EXTREMES(·leastI8, 0, SMIN8)
EXTREMES(·greatestI8, 0, SMAX8)
EXTREMES(·leastU8, 0, UMIN8)
EXTREMES(·greatestU8, 0, UMAX8)
EXTREMES(·leastI16, 1, SMIN16)
EXTREMES(·greatestI16, 1, SMAX16)
EXTREMES(·leastU16, 1, UMIN16)
EXTREMES(·greatestU16, 1, UMAX16)
EXTREMES(·leastI32, 2, SMIN32)
EXTREMES(·greatestI32, 2, SMAX32)
EXTREMES(·leastU32, 2, UMIN32)
EXTREMES(·greatestU32, 2, UMAX32)
EXTREMES(·leastI64, 3, SMIN64)
EXTREMES(·greatestI64, 3, SMAX64)
EXTREMES(·leastU64, 3, UMIN64)
EXTREMES(·greatestU64, 3, UMAX64)
EXTREMES(·leastF32, 2, FMIN32)
EXTREMES(·greatestF32, 2, FMAX32)
EXTREMES(·leastF64, 3, FMIN64)
EXTREMES(·greatestF64, 3, FMAX64)

// The macros below load 16 or 32 bytes of a row for sums in four lanes of 32 bits, or two of 64 bits, in each vector.
#define ROW16 VLD1.P (R4)(R2), [V16.B16]
#define ROW32 VLD1.P (R4)(R2), [V16.B16, V17.B16]
#define TURN32 \
	TURN(V16); \
	TURN(V17)

#define NOTHING

// ADDBYTES adds 16 integers of 1 byte, and ADDLONGER adds 32 bytes of longer integers.
#define ADDBYTES(XTL, XTLH, ADDW, ADDWH) \
	XTL(16, 4); \
	XTLH(16, 5); \
	ADDW(4, 0, 0); \
	ADDWH(4, 1, 1); \
	ADDW(5, 2, 2); \
	ADDWH(5, 3, 3)

#define ADDLONGER(ADDW, ADDWH) \
	ADDW(16, 0, 0); \
	ADDWH(16, 1, 1); \
	ADDW(17, 2, 2); \
	ADDWH(17, 3, 3)

COLUMNS(·addI8, 0, 16, START4, ROW16, NOTHING, ADDBYTES(SXTL8, SXTLH8, SADDW16, SADDWH16), END4)
COLUMNS(·addU8, 0, 16, START4, ROW16, NOTHING, ADDBYTES(UXTL8, UXTLH8, UADDW16, UADDWH16), END4)
COLUMNS(·addI16, 1, 32, START4, ROW32, TURN32, ADDLONGER(SADDW16, SADDWH16), END4)
COLUMNS(·addU16, 1, 32, START4, ROW32, TURN32, ADDLONGER(UADDW16, UADDWH16), END4)
COLUMNS(·addI32, 2, 32, START4, ROW32, TURN32, ADDLONGER(SADDW32, SADDWH32), END4)
COLUMNS(·addU32, 2, 32, START4, ROW32, TURN32, ADDLONGER(UADDW32, UADDWH32), END4)
COLUMNS(·add64, 3, 64, START4, ROW64, TURN64, EACH4(ADD64), END4)

// ADDROWS defines the loop NAME for 8 rows of floats of SIZE bytes, four columns at a time:
//
//	for j := range n &^ 3 {
//		TwoSum(&hi[j], &lo[j], ((row[0][j]+row[1][j])+(row[2][j]+row[3][j]))+
//			((row[4][j]+row[5][j])+(row[6][j]+row[7][j])))
//	}
//
// LOAD loads four numbers of the row at R4 as float64 into two vectors. TURNED does the same if bytes are reversed. a
// and b are the numbers of the vectors A and B.
//
//	R0, R8      hi, lo
//	R1          column j of row 0
//	R2          the distance of rows
//	R4          column j of the next row to load
//	R6          remaining columns
//	V0 to V7    rows
//	V16         float32s
//	V17, V18    scratch
//	V31         shuffle for native order
#define ADDROWS(NAME, SIZE, LOAD, TURNED) \
TEXT NAME(SB), NOSPLIT, $0-88; \
	MOVD hi+0(FP), R0; \
	MOVD lo+8(FP), R8; \
	MOVD p+16(FP), R1; \
	MOVD stride+24(FP), R2; \
	MOVD n+32(FP), R6; \
	AND  $~3, R6; \
	MOVD R6, done+80(FP); \
	CBZ  R6, none; \
	ORDER(swap+40(FP), V31); \
	MOVD swap+40(FP), R7; \
	CBNZ R7, swapped; \
native: \
	FOURCOLUMNS(SIZE, LOAD); \
	CBNZ R6, native; \
	RET; \
swapped: \
	FOURCOLUMNS(SIZE, TURNED); \
	CBNZ R6, swapped; \
none: \
	RET

// FOURCOLUMNS adds four columns. ADD2 adds A and B to C and D.
#define FOURCOLUMNS(SIZE, LOAD) \
	MOVD R1, R4; \
	LOAD(V0, V1, 0, 1); \
	LOAD(V2, V3, 2, 3); \
	ADD2(2, 3, 0, 1); \
	LOAD(V4, V5, 4, 5); \
	LOAD(V6, V7, 6, 7); \
	ADD2(6, 7, 4, 5); \
	ADD2(4, 5, 0, 1); \
	LOAD(V2, V3, 2, 3); \
	LOAD(V4, V5, 4, 5); \
	ADD2(4, 5, 2, 3); \
	LOAD(V4, V5, 4, 5); \
	LOAD(V6, V7, 6, 7); \
	ADD2(6, 7, 4, 5); \
	ADD2(4, 5, 2, 3); \
	ADD2(2, 3, 0, 1); \
	VLD1 (R0), [V2.D2, V3.D2]; \
	VLD1 (R8), [V4.D2, V5.D2]; \
	TWOSUM(0, 2, 4, 6); \
	TWOSUM(1, 3, 5, 7); \
	VST1.P [V6.D2, V7.D2], 32(R0); \
	VST1.P [V4.D2, V5.D2], 32(R8); \
	ADD  $(4*SIZE), R1; \
	SUB  $4, R6

#define ADD2(A, B, C, D) \
	FADD64(A, C, C); \
	FADD64(B, D, D)

// TWOSUM sets SUM to X + Y, and adds the rounding error of this addition to LO.
#define TWOSUM(Y, X, LO, SUM) \
	FADD64(Y, X, SUM); \
	FSUB64(X, SUM, 17); \
	FSUB64(17, SUM, 18); \
	FSUB64(18, X, 18); \
	FSUB64(17, Y, 17); \
	FADD64(17, 18, 18); \
	FADD64(18, LO, LO)

#define FOUR64(A, B, a, b) VLD1.P (R4)(R2), [A.B16, B.B16]

#define TURNED64(A, B, a, b) \
	FOUR64(A, B, a, b); \
	TURN(A); \
	TURN(B)

#define FOUR32(A, B, a, b) \
	VLD1.P (R4)(R2), [V16.B16]; \
	FCVTL(16, a); \
	FCVTLH(16, b)

#define TURNED32(A, B, a, b) \
	VLD1.P (R4)(R2), [V16.B16]; \
	TURN(V16); \
	FCVTL(16, a); \
	FCVTLH(16, b)

ADDROWS(·addFloatsF64, 8, FOUR64, TURNED64)
ADDROWS(·addFloatsF32, 4, FOUR32, TURNED32)
