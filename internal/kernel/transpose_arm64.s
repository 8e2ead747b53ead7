//go:build arm64 && !purego && !race

#include "textflag.h"
#include "loops_arm64.h"

// STRIP defines the loop NAME for items of 1<<LOG bytes:
//
//	for j := range n &^ (COLUMNS - 1) {
//		for i := range 8 {
//			dst[i*ds+j*size:][:size] = src[i*size+j*ss:][:size]
//		}
//	}
//
// BODY moves COLUMNS columns at a time.
//
//	R0, R3         column j of row 0 of dst, ds
//	R2             row of dst
//	R4, R5         column of src, ss
//	R6             remaining columns
//	R7             swap
//	V0 to V7       columns, and then rows
//	V16 to V23     columns, and then rows
//	V31            shuffle that reverses the bytes of items
#define STRIP(NAME, LOG, COLUMNS, BODY) \
TEXT NAME(SB), NOSPLIT, $0-56; \
	MOVD dst+0(FP), R0; \
	MOVD ds+8(FP), R3; \
	MOVD src+16(FP), R4; \
	MOVD ss+24(FP), R5; \
	MOVD n+32(FP), R6; \
	MOVD swap+40(FP), R7; \
	AND  $~(COLUMNS-1), R6; \
	MOVD R6, done+48(FP); \
	CBZ  R6, none; \
	ORDER(swap+40(FP), V31); \
loop: \
	MOVD R0, R2; \
	BODY; \
	ADD  $(COLUMNS<<LOG), R0; \
	SUBS $COLUMNS, R6; \
	BNE  loop; \
none: \
	RET

// STORE8 stores 16 bytes of each of 8 rows.
#define STORE8(A, B, C, D, E, F, G, H) \
	VST1.P [A.B16], (R2)(R3); \
	VST1.P [B.B16], (R2)(R3); \
	VST1.P [C.B16], (R2)(R3); \
	VST1.P [D.B16], (R2)(R3); \
	VST1.P [E.B16], (R2)(R3); \
	VST1.P [F.B16], (R2)(R3); \
	VST1.P [G.B16], (R2)(R3); \
	VST1   [H.B16], (R2)

// ZIP interleaves the items of A and B: LOW gets the items of the lower halves, and HIGH gets the upper halves.
#define ZIP(T, A, B, LOW, HIGH) \
	VZIP1 B.T, A.T, LOW.T; \
	VZIP2 B.T, A.T, HIGH.T

// TURN8 reverses the bytes of items in V0 to V7 unless swap is 0.
#define TURN8 \
	CBZ R7, turned; \
	TURN4(V0, V1, V2, V3); \
	TURN4(V4, V5, V6, V7); \
turned:

// COLUMNS8 moves 2 columns of items of 8 bytes.
#define COLUMNS8 \
	VLD1.P (R4)(R5), [V0.B16, V1.B16, V2.B16, V3.B16]; \
	VLD1.P (R4)(R5), [V4.B16, V5.B16, V6.B16, V7.B16]; \
	TURN8; \
	ZIP(D2, V0, V4, V16, V17); \
	ZIP(D2, V1, V5, V18, V19); \
	ZIP(D2, V2, V6, V20, V21); \
	ZIP(D2, V3, V7, V22, V23); \
	STORE8(V16, V17, V18, V19, V20, V21, V22, V23)

// COLUMNS4 moves 4 columns of items of 4 bytes. It interleaves columns that are 2 apart, and then the results.
#define COLUMNS4 \
	VLD1.P (R4)(R5), [V0.B16, V1.B16]; \
	VLD1.P (R4)(R5), [V2.B16, V3.B16]; \
	VLD1.P (R4)(R5), [V4.B16, V5.B16]; \
	VLD1.P (R4)(R5), [V6.B16, V7.B16]; \
	TURN8; \
	ZIP(S4, V0, V4, V16, V17); \
	ZIP(S4, V1, V5, V18, V19); \
	ZIP(S4, V2, V6, V20, V21); \
	ZIP(S4, V3, V7, V22, V23); \
	ZIP(S4, V16, V20, V0, V1); \
	ZIP(S4, V17, V21, V2, V3); \
	ZIP(S4, V18, V22, V4, V5); \
	ZIP(S4, V19, V23, V6, V7); \
	STORE8(V0, V1, V2, V3, V4, V5, V6, V7)

// ZIP8 interleaves 8 vectors, each with the one that is 4 further on. Three such steps transpose 8 columns.
#define ZIP8(T, A0, A1, A2, A3, A4, A5, A6, A7, B0, B1, B2, B3, B4, B5, B6, B7) \
	ZIP(T, A0, A4, B0, B1); \
	ZIP(T, A1, A5, B2, B3); \
	ZIP(T, A2, A6, B4, B5); \
	ZIP(T, A3, A7, B6, B7)

// COLUMNS2 moves 8 columns of items of 2 bytes.
#define COLUMNS2 \
	VLD1.P (R4)(R5), [V0.B16]; \
	VLD1.P (R4)(R5), [V1.B16]; \
	VLD1.P (R4)(R5), [V2.B16]; \
	VLD1.P (R4)(R5), [V3.B16]; \
	VLD1.P (R4)(R5), [V4.B16]; \
	VLD1.P (R4)(R5), [V5.B16]; \
	VLD1.P (R4)(R5), [V6.B16]; \
	VLD1.P (R4)(R5), [V7.B16]; \
	TURN8; \
	ZIP8(H8, V0, V1, V2, V3, V4, V5, V6, V7, V16, V17, V18, V19, V20, V21, V22, V23); \
	ZIP8(H8, V16, V17, V18, V19, V20, V21, V22, V23, V0, V1, V2, V3, V4, V5, V6, V7); \
	ZIP8(H8, V0, V1, V2, V3, V4, V5, V6, V7, V16, V17, V18, V19, V20, V21, V22, V23); \
	STORE8(V16, V17, V18, V19, V20, V21, V22, V23)

// COLUMNS1 moves 16 columns of 8 bytes. It first interleaves column k and column k+8.
#define COLUMNS1 \
	VLD1.P (R4)(R5), [V0.B8]; \
	VLD1.P (R4)(R5), [V1.B8]; \
	VLD1.P (R4)(R5), [V2.B8]; \
	VLD1.P (R4)(R5), [V3.B8]; \
	VLD1.P (R4)(R5), [V4.B8]; \
	VLD1.P (R4)(R5), [V5.B8]; \
	VLD1.P (R4)(R5), [V6.B8]; \
	VLD1.P (R4)(R5), [V7.B8]; \
	VLD1.P (R4)(R5), [V16.B8]; \
	VLD1.P (R4)(R5), [V17.B8]; \
	VLD1.P (R4)(R5), [V18.B8]; \
	VLD1.P (R4)(R5), [V19.B8]; \
	VLD1.P (R4)(R5), [V20.B8]; \
	VLD1.P (R4)(R5), [V21.B8]; \
	VLD1.P (R4)(R5), [V22.B8]; \
	VLD1.P (R4)(R5), [V23.B8]; \
	VZIP1  V16.B16, V0.B16, V0.B16; \
	VZIP1  V17.B16, V1.B16, V1.B16; \
	VZIP1  V18.B16, V2.B16, V2.B16; \
	VZIP1  V19.B16, V3.B16, V3.B16; \
	VZIP1  V20.B16, V4.B16, V4.B16; \
	VZIP1  V21.B16, V5.B16, V5.B16; \
	VZIP1  V22.B16, V6.B16, V6.B16; \
	VZIP1  V23.B16, V7.B16, V7.B16; \
	ZIP8(B16, V0, V1, V2, V3, V4, V5, V6, V7, V16, V17, V18, V19, V20, V21, V22, V23); \
	ZIP8(B16, V16, V17, V18, V19, V20, V21, V22, V23, V0, V1, V2, V3, V4, V5, V6, V7); \
	ZIP8(B16, V0, V1, V2, V3, V4, V5, V6, V7, V16, V17, V18, V19, V20, V21, V22, V23); \
	STORE8(V16, V17, V18, V19, V20, V21, V22, V23)

STRIP(·transposeStrip8, 3, 2, COLUMNS8)
STRIP(·transposeStrip4, 2, 4, COLUMNS4)
STRIP(·transposeStrip2, 1, 8, COLUMNS2)
STRIP(·transposeStrip1, 0, 16, COLUMNS1)
