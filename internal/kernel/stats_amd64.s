//go:build amd64 && !purego && !race

#include "textflag.h"

// TALLY counts what is less than 7 bounds, in Y9 to Y15, in Y2 to Y8. LOAD loads 32
// bytes to Y0, LESS makes Y1 those that are less than a bound, -1 each, and SUB subtracts
// it. ADD adds the counts to those at DI: they are of 64 bits, or of 32 where the numbers
// have 16.
#define TALLY(BROADCAST, SIZE, LOAD, LESS, SUB, ADD) \
	MOVQ  out+0(FP), DI; \
	MOVQ  s+8(FP), SI; \
	MOVQ  n+16(FP), CX; \
	MOVQ  bounds+24(FP), AX; \
	BROADCAST 0(AX), Y9; \
	BROADCAST (1*SIZE)(AX), Y10; \
	BROADCAST (2*SIZE)(AX), Y11; \
	BROADCAST (3*SIZE)(AX), Y12; \
	BROADCAST (4*SIZE)(AX), Y13; \
	BROADCAST (5*SIZE)(AX), Y14; \
	BROADCAST (6*SIZE)(AX), Y15; \
	VPXOR Y2, Y2, Y2; \
	VPXOR Y3, Y3, Y3; \
	VPXOR Y4, Y4, Y4; \
	VPXOR Y5, Y5, Y5; \
	VPXOR Y6, Y6, Y6; \
	VPXOR Y7, Y7, Y7; \
	VPXOR Y8, Y8, Y8; \
loop: \
	LOAD; \
	ADDQ $32, SI; \
	LESS(Y9); \
	SUB  Y1, Y2, Y2; \
	LESS(Y10); \
	SUB  Y1, Y3, Y3; \
	LESS(Y11); \
	SUB  Y1, Y4, Y4; \
	LESS(Y12); \
	SUB  Y1, Y5, Y5; \
	LESS(Y13); \
	SUB  Y1, Y6, Y6; \
	LESS(Y14); \
	SUB  Y1, Y7, Y7; \
	LESS(Y15); \
	SUB  Y1, Y8, Y8; \
	DECQ CX; \
	JNZ  loop; \
	ADD(0, Y2); \
	ADD(32, Y3); \
	ADD(64, Y4); \
	ADD(96, Y5); \
	ADD(128, Y6); \
	ADD(160, Y7); \
	ADD(192, Y8); \
	VZEROUPPER; \
	RET

#define LOADF64 VMOVDQU (SI), Y0
#define LESSF64(BOUND) VCMPPD $0x11, BOUND, Y0, Y1
#define ADDF64(OFF, Y) \
	VPADDQ  OFF(DI), Y, Y; \
	VMOVDQU Y, OFF(DI)

#define LOAD16 \
	VMOVDQU (SI), Y0; \
	VPXOR   (DX), Y0, Y0

#define LESS16(BOUND) VPCMPGTW Y0, BOUND, Y1
#define ADD16(OFF, Y) \
	VPSRLD  $16, Y, Y0; \
	VPSLLD  $16, Y, Y; \
	VPSRLD  $16, Y, Y; \
	VPADDD  Y0, Y, Y; \
	VPADDD  OFF(DI), Y, Y; \
	VMOVDQU Y, OFF(DI)

// func tallyF64(out *[4]uint64, s Pointer, n int, bounds *float64)
TEXT ·tallyF64(SB), NOSPLIT, $0-32
	TALLY(VBROADCASTSD, 8, LOADF64, LESSF64, VPSUBQ, ADDF64)

// func tally16(out *[4]uint64, s Pointer, n int, bounds *int16, bias *[32]byte)
TEXT ·tally16(SB), NOSPLIT, $0-40
	MOVQ bias+32(FP), DX
	TALLY(VPBROADCASTW, 2, LOAD16, LESS16, VPSUBW, ADD16)

// PAIRS4 adds 4 vectors that are 512 bytes apart, in pairs, to A. Y5 to Y7 are free.
#define PAIRS4(OFF, LOAD, A) \
	LOAD(OFF, A); \
	LOAD((OFF+1024), Y5); \
	VADDPD Y5, A, A; \
	LOAD((OFF+512), Y6); \
	LOAD((OFF+1536), Y7); \
	VADDPD Y7, Y6, Y6; \
	VADDPD Y6, A, A

// PAIRS16 adds 16 vectors that are 128 bytes apart.
#define PAIRS16(OFF, LOAD, A) \
	PAIRS4(OFF, LOAD, A); \
	PAIRS4((OFF+256), LOAD, Y4); \
	VADDPD Y4, A, A; \
	PAIRS4((OFF+128), LOAD, Y4); \
	PAIRS4((OFF+384), LOAD, Y8); \
	VADDPD Y8, Y4, Y4; \
	VADDPD Y4, A, A

#define PAIRS(LOAD) \
	PAIRS16(0, LOAD, Y0); \
	PAIRS16(64, LOAD, Y1); \
	VADDPD       Y1, Y0, Y0; \
	PAIRS16(32, LOAD, Y1); \
	PAIRS16(96, LOAD, Y2); \
	VADDPD       Y2, Y1, Y1; \
	VADDPD       Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD       X1, X0, X0; \
	VHADDPD      X0, X0, X0; \
	VZEROUPPER

#define FLOAT(OFF, Y) VMOVUPD OFF(SI), Y

// SQUARE is that of the distance from Y15, in units of Y14, 0 for NaN.
#define SQUARE(OFF, Y) \
	VMULPD OFF(SI), Y14, Y; \
	VSUBPD Y15, Y, Y; \
	VCMPPD $7, Y, Y, Y9; \
	VMULPD Y, Y, Y; \
	VANDPD Y9, Y, Y

// func sumPairsVector(s *[256]float64) float64
TEXT ·sumPairsVector(SB), NOSPLIT, $0-16
	MOVQ s+0(FP), SI
	PAIRS(FLOAT)
	MOVSD X0, ret+8(FP)
	RET

// func squarePairsVector(s *[256]float64, unit, mean float64) float64
TEXT ·squarePairsVector(SB), NOSPLIT, $0-32
	MOVQ s+0(FP), SI
	VBROADCASTSD unit+8(FP), Y14
	VBROADCASTSD mean+16(FP), Y15
	PAIRS(SQUARE)
	MOVSD X0, ret+24(FP)
	RET

// func sumSquares16(out *[2][4]uint64, s Pointer, n int, bias *[32]byte)
TEXT ·sumSquares16(SB), NOSPLIT, $0-32
	MOVQ     out+0(FP), DI
	MOVQ     s+8(FP), SI
	MOVQ     n+16(FP), CX
	MOVQ     bias+24(FP), DX
	VMOVDQU  (DX), Y14
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
	VMOVDQU      Y4, 0(DI)
	VMOVDQU      Y6, 32(DI)
	VZEROUPPER
	RET
