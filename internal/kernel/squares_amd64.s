//go:build amd64 && !purego && !race

#include "textflag.h"

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
