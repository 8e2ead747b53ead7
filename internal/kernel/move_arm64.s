//go:build arm64 && !purego && !race

#include "textflag.h"
#include "loops_arm64.h"

// RUN loads the arguments of a loop over n items. It leaves the last LESS items, and more so that the loop stores whole
// pairs of vectors.
//
//	R0, R1   dst, src
//	R2       the number of bytes to store
//	R3       size
//	R4, R5   scratch
#define RUN(LESS) \
	MOVD dst+0(FP), R0; \
	MOVD src+8(FP), R1; \
	MOVD n+24(FP), R2; \
	MOVD size+32(FP), R3; \
	RBIT R3, R4; \
	CLZ  R4, R4; \
	SUB  $LESS, R2; \
	LSL  R4, R2, R2; \
	AND  $~31, R2; \
	LSR  R4, R2, R5; \
	MOVD R5, done+56(FP); \
	CBZ  R2, none

// moveForward moves consecutive items. It loads a block before it stores it, so dst may overlap src if it is lower. V31
// reverses bytes.
TEXT ·moveForward(SB), NOSPLIT, $0-64
	RUN(0)
	ORDER(swap+40(FP), V31)
	SUBS $64, R2
	BLT  last

blocks:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	TURN4(V0, V1, V2, V3)
	SUBS   $64, R2
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)
	BGE    blocks

last:
	TBZ  $5, R2, none
	VLD1 (R1), [V0.B16, V1.B16]
	TURN(V0)
	TURN(V1)
	VST1 [V0.B16, V1.B16], (R0)

none:
	RET

// moveBackward moves consecutive items in the opposite order. R1 starts at the end of the first item and goes down. The
// shuffle in V31 reverses the order of items in each 16 bytes, and the two vectors are exchanged.
TEXT ·moveBackward(SB), NOSPLIT, $0-64
	RUN(0)
	ADD  R3, R1
	MOVD swap+40(FP), R6
	CMP  $1, R6
	CSET GT, R6
	ADD  R3<<1, R6, R6
	MOVD $·turned(SB), R7
	ADD  R6<<4, R7
	VLD1 (R7), [V31.B16]

loop:
	SUB    $32, R1
	VLD1   (R1), [V0.B16, V1.B16]
	SUBS   $32, R2
	VTBL   V31.B16, [V0.B16], V3.B16
	VTBL   V31.B16, [V1.B16], V2.B16
	VST1.P [V2.B16, V3.B16], 32(R0)
	BNE    loop

none:
	RET

// EVERY2 takes every second item of 64 bytes. T is the arrangement of items in a vector. V31 reverses bytes.
#define EVERY2(loop, T) \
loop: \
	VLD2.P 32(R1), [V0.T, V1.T]; \
	VLD2.P 32(R1), [V1.T, V2.T]; \
	TURN(V0); \
	TURN(V1); \
	SUBS   $32, R2; \
	VST1.P [V0.B16, V1.B16], 32(R0); \
	BNE    loop; \
	RET

TEXT ·moveEvery2(SB), NOSPLIT, $0-64
	RUN(1)
	ORDER(swap+40(FP), V31)
	TBNZ $0, R3, one
	TBNZ $1, R3, two
	TBNZ $2, R3, four
	EVERY2(eight, D2)
	EVERY2(four, S4)
	EVERY2(two, H8)
	EVERY2(one, B16)

none:
	RET

// EVERY4 takes every fourth item of 128 bytes.
#define EVERY4(loop, T) \
loop: \
	VLD4.P 64(R1), [V0.T, V1.T, V2.T, V3.T]; \
	VLD4.P 64(R1), [V1.T, V2.T, V3.T, V4.T]; \
	TURN(V0); \
	TURN(V1); \
	SUBS   $32, R2; \
	VST1.P [V0.B16, V1.B16], 32(R0); \
	BNE    loop; \
	RET

TEXT ·moveEvery4(SB), NOSPLIT, $0-64
	RUN(1)
	ORDER(swap+40(FP), V31)
	TBNZ $0, R3, one
	TBNZ $1, R3, two
	EVERY4(four, S4)
	EVERY4(two, H8)
	EVERY4(one, B16)

none:
	RET
