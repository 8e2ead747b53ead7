//go:build amd64 && !purego && !race

#include "textflag.h"

TEXT ·squares16(SB), NOSPLIT, $0-48
	MOVQ         p+16(FP), SI
	MOVQ         n+24(FP), CX
	SHRQ         $4, CX
	MOVQ         CX, AX
	SHLQ         $4, AX
	MOVQ         AX, done+40(FP)
	JZ           none
	VPBROADCASTQ flip+32(FP), Y14
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
	VEXTRACTI128 $1, Y4, X0
	VEXTRACTI128 $1, Y6, X1
	VPADDQ       X0, X4, X4
	VPADDQ       X1, X6, X6
	VPUNPCKLQDQ  X6, X4, X0
	VPUNPCKHQDQ  X6, X4, X1
	VPADDQ       X1, X0, X0
	VMOVQ        X0, AX
	VPEXTRQ      $1, X0, BX
	MOVQ         sum+0(FP), DI
	ADDQ         AX, (DI)
	MOVQ         squares+8(FP), DI
	ADDQ         BX, (DI)
	VZEROUPPER

none:
	RET
