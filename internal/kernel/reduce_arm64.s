//go:build arm64 && !purego && !race

#include "textflag.h"
#include "loops_arm64.h"
#include "neon_arm64.h"

#define ZERO(V) VEOR V.B16, V.B16, V.B16

// SUMROWS is the loop
//
//	for i := range m {
//		out[i] = sumPlain(row[i][:n])
//	}
//
// over numbers of SIZE bytes. LOAD8 loads the next eight numbers as float64 into V4 to V7. TURNED8 does the same if
// bytes are reversed. LOAD1 loads one number into F4.
//
//	R0         out
//	R1, R2     row, and the distance of rows
//	R3         remaining rows
//	R4         n
//	R5         current number
//	R6         remaining steps
//	R7         swap
//	V0 to V3   the eight sums
//	V31        shuffle for native order
#define SUMROWS(SIZE, LOAD8, TURNED8, LOAD1) \
	MOVD out+0(FP), R0; \
	MOVD p+8(FP), R1; \
	MOVD stride+16(FP), R2; \
	MOVD m+24(FP), R3; \
	MOVD n+32(FP), R4; \
	MOVD swap+40(FP), R7; \
	MOVD R3, done+56(FP); \
	ORDER(swap+40(FP), V31); \
row: \
	MOVD R1, R5; \
	ZERO(V0); \
	ZERO(V1); \
	ZERO(V2); \
	ZERO(V3); \
	LSR  $3, R4, R6; \
	CBZ  R6, eights; \
	CBNZ R7, swapped; \
native: \
	LOAD8; \
	ADD4; \
	SUB  $1, R6; \
	CBNZ R6, native; \
	JMP  eights; \
swapped: \
	TURNED8; \
	ADD4; \
	SUB  $1, R6; \
	CBNZ R6, swapped; \
eights: \
	FADDP64(1, 0, 0); \
	FADDP64(3, 2, 2); \
	FADDP64(2, 0, 0); \
	FADDP64(0, 0, 0); \
	ANDS $7, R4, R6; \
	BEQ  end; \
one: \
	LOAD1; \
	FADDD F4, F0, F0; \
	SUB  $1, R6; \
	CBNZ R6, one; \
end: \
	FMOVD.P F0, 8(R0); \
	ADD  R2, R1; \
	SUB  $1, R3; \
	CBNZ R3, row; \
	RET

// ADD4 adds eight numbers to the sums.
#define ADD4 \
	FADD64(4, 0, 0); \
	FADD64(5, 1, 1); \
	FADD64(6, 2, 2); \
	FADD64(7, 3, 3)

#define EIGHTF64 VLD1.P 64(R5), [V4.D2, V5.D2, V6.D2, V7.D2]

#define TURNEDF64 \
	EIGHTF64; \
	TURN4(V4, V5, V6, V7)

#define ONEF64 \
	FMOVD.P 8(R5), F4; \
	TURN(V4)

#define WIDEN8 \
	FCVTL(16, 4); \
	FCVTLH(16, 5); \
	FCVTL(17, 6); \
	FCVTLH(17, 7)

#define EIGHTF32 \
	VLD1.P 32(R5), [V16.S4, V17.S4]; \
	WIDEN8

#define TURNEDF32 \
	VLD1.P 32(R5), [V16.S4, V17.S4]; \
	TURN(V16); \
	TURN(V17); \
	WIDEN8

#define ONEF32 \
	FMOVS.P 4(R5), F4; \
	TURN(V4); \
	FCVTSD F4, F4

TEXT ·sumRowsF64(SB), NOSPLIT, $0-64
	SUMROWS(8, EIGHTF64, TURNEDF64, ONEF64)

TEXT ·sumRowsF32(SB), NOSPLIT, $0-64
	SUMROWS(4, EIGHTF32, TURNEDF32, ONEF32)

// TOTAL defines the loop NAME for integers of 1<<LOG bytes:
//
//	for _, x := range p[:n&^(64>>LOG - 1)] {
//		*sum += int64(x)
//	}
//
// It adds 64 bytes at a time. STEP(V, SUM) adds pairs of lanes of V to the lanes of SUM. FINISH adds up the four
// vectors of sums to two integers of 64 bits in V16. One call handles at most 256 KiB, so sums of 32 bits do not
// overflow.
//
//	R0           sum
//	R1           p
//	R2           remaining integers
//	R7           swap
//	R3, R4       scratch
//	V0 to V3     integers
//	V16 to V19   sums
//	V31          shuffle for native order
#define TOTAL(NAME, LOG, STEP, FINISH) \
TEXT NAME(SB), NOSPLIT, $0-40; \
	MOVD sum+0(FP), R0; \
	MOVD p+8(FP), R1; \
	MOVD n+16(FP), R2; \
	MOVD swap+24(FP), R7; \
	AND  $~((64>>LOG)-1), R2; \
	MOVD R2, done+32(FP); \
	CBZ  R2, none; \
	ORDER(swap+24(FP), V31); \
	ZERO(V16); \
	ZERO(V17); \
	ZERO(V18); \
	ZERO(V19); \
	CBNZ R7, swapped; \
native: \
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	STEP(0, 16); \
	STEP(1, 17); \
	STEP(2, 18); \
	STEP(3, 19); \
	SUB  $(64>>LOG), R2; \
	CBNZ R2, native; \
	JMP  end; \
swapped: \
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	TURN4(V0, V1, V2, V3); \
	STEP(0, 16); \
	STEP(1, 17); \
	STEP(2, 18); \
	STEP(3, 19); \
	SUB  $(64>>LOG), R2; \
	CBNZ R2, swapped; \
end: \
	FINISH; \
	VADDP V16.D2, V16.D2, V16.D2; \
	VMOV  V16.D[0], R3; \
	MOVD (R0), R4; \
	ADD  R3, R4; \
	MOVD R4, (R0); \
none: \
	RET

#define BYTESI(V, SUM) \
	SADDLP8(V, V); \
	SADALP16(V, SUM)

#define BYTESU(V, SUM) \
	UADDLP8(V, V); \
	UADALP16(V, SUM)

// FOLD adds up four vectors of sums with lanes T.
#define FOLD(T) \
	VADD V17.T, V16.T, V16.T; \
	VADD V19.T, V18.T, V18.T; \
	VADD V18.T, V16.T, V16.T

// LONGER adds up four vectors of sums of 32 bits in lanes of 64 bits.
#define LONGER(ADALP) \
	ZERO(V0); \
	ADALP(16, 0); \
	ADALP(17, 0); \
	ADALP(18, 0); \
	ADALP(19, 0); \
	VMOV V0.B16, V16.B16

TOTAL(·totalI8, 0, BYTESI, LONGER(SADALP32))
TOTAL(·totalU8, 0, BYTESU, LONGER(UADALP32))
TOTAL(·totalI16, 1, SADALP16, LONGER(SADALP32))
TOTAL(·totalU16, 1, UADALP16, LONGER(UADALP32))
TOTAL(·totalI32, 2, SADALP32, FOLD(D2))
TOTAL(·totalU32, 2, UADALP32, FOLD(D2))
#define ADDLONG(V, SUM) ADD64(V, SUM, SUM)
TOTAL(·total64, 3, ADDLONG, FOLD(D2))

// MINMAX defines the loop NAME for numbers of 1<<LOG bytes, which updates the extremes at e with 32 bytes at a time. It
// stores unsigned integers as signed ones: see extremes. END does the rest for floats.
//
//	R0         e
//	R1         p
//	R2         remaining numbers
//	R7         swap
//	V0, V1     least numbers
//	V2, V3     greatest numbers
//	V4, V5     numbers
//	V30, V31   flip, shuffle for native order
#define MINMAX(NAME, LOG, MIN, MAX, END) \
TEXT NAME(SB), NOSPLIT, $0-48; \
	MOVD e+0(FP), R0; \
	MOVD p+8(FP), R1; \
	MOVD n+16(FP), R2; \
	MOVD swap+24(FP), R7; \
	MOVD flip+32(FP), R3; \
	AND  $~((32>>LOG)-1), R2; \
	MOVD R2, done+40(FP); \
	CBZ  R2, none; \
	ORDER(swap+24(FP), V31); \
	VDUP R3, V30.D2; \
	VLD1 (R0), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	FLIP4; \
	CBNZ R7, swapped; \
native: \
	VLD1.P 32(R1), [V4.B16, V5.B16]; \
	MIN(4, 0, 0); \
	MIN(5, 1, 1); \
	MAX(4, 2, 2); \
	MAX(5, 3, 3); \
	SUB  $(32>>LOG), R2; \
	CBNZ R2, native; \
	JMP  end; \
swapped: \
	VLD1.P 32(R1), [V4.B16, V5.B16]; \
	TURN(V4); \
	TURN(V5); \
	MIN(4, 0, 0); \
	MIN(5, 1, 1); \
	MAX(4, 2, 2); \
	MAX(5, 3, 3); \
	SUB  $(32>>LOG), R2; \
	CBNZ R2, swapped; \
end: \
	FLIP4; \
	VST1 [V0.B16, V1.B16, V2.B16, V3.B16], (R0); \
	END; \
none: \
	RET

// FLIP4 XORs the extremes with flip.
#define FLIP4 \
	VEOR V30.B16, V0.B16, V0.B16; \
	VEOR V30.B16, V1.B16, V1.B16; \
	VEOR V30.B16, V2.B16, V2.B16; \
	VEOR V30.B16, V3.B16, V3.B16

// FLOATS updates the fields any, all and nan of e. Unlike on amd64, the least and the greatest floats have the signs of
// zeros, and are NaN if a number is NaN. So they determine these fields.
#define FLOATS(CMEQ) \
	CMEQ(0, 0, 4); \
	CMEQ(1, 1, 5); \
	VLD1 (R0), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	ADD  $64, R0; \
	VLD1 (R0), [V16.B16, V17.B16, V18.B16, V19.B16]; \
	VORR V0.B16, V16.B16, V16.B16; \
	VORR V1.B16, V17.B16, V17.B16; \
	VAND V2.B16, V18.B16, V18.B16; \
	VAND V3.B16, V19.B16, V19.B16; \
	VST1.P [V16.B16, V17.B16, V18.B16, V19.B16], 64(R0); \
	VCMEQ V6.B16, V6.B16, V6.B16; \
	VEOR V6.B16, V4.B16, V4.B16; \
	VEOR V6.B16, V5.B16, V5.B16; \
	VST1 [V4.B16, V5.B16], (R0)

#define NOTHING

MINMAX(·minMaxI8, 0, SMIN8, SMAX8, NOTHING)
MINMAX(·minMaxU8, 0, UMIN8, UMAX8, NOTHING)
MINMAX(·minMaxI16, 1, SMIN16, SMAX16, NOTHING)
MINMAX(·minMaxU16, 1, UMIN16, UMAX16, NOTHING)
MINMAX(·minMaxI32, 2, SMIN32, SMAX32, NOTHING)
MINMAX(·minMaxU32, 2, UMIN32, UMAX32, NOTHING)
MINMAX(·minMaxI64, 3, SMIN64, SMAX64, NOTHING)
MINMAX(·minMaxU64, 3, UMIN64, UMAX64, NOTHING)
MINMAX(·minMaxF32, 2, FMIN32, FMAX32, FLOATS(FCMEQ32))
MINMAX(·minMaxF64, 3, FMIN64, FMAX64, FLOATS(FCMEQ64))
