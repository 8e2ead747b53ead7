//go:build amd64 && !purego && !race

#include "textflag.h"
#include "loops_amd64.h"

// A strip consists of 8 rows of dst, which are 8 items in each column of src. Each loop does
//
//	for j := range n &^ (COLUMNS - 1) {
//		for i := range 8 {
//			dst[i*ds+j*size:][:size] = src[i*size+j*ss:][:size]
//		}
//	}
//
// 32 bytes of a row at a time (transposeStrip1: 8 bytes): 2 columns of items of 16 bytes, 4 of 8, 8 of 4 or 16 of 2 bytes.
//
//	DI, BX    rows 0 and 4 of dst
//	R8, R11   ds, 3*ds
//	SI        column j of src
//	R9, R10   ss, 3*ss
//	DX        column of src, 64 bytes further on, to prefetch for the next strip
//	CX        remaining columns
//	Y15       shuffle that reverses the bytes of items

// ARGS loads the arguments of a loop that moves COLUMNS columns at a time.
#define ARGS(COLUMNS) \
	MOVQ dst+0(FP), DI; \
	MOVQ ds+8(FP), R8; \
	MOVQ src+16(FP), SI; \
	MOVQ ss+24(FP), R9; \
	MOVQ n+32(FP), CX; \
	ANDQ $-COLUMNS, CX; \
	MOVQ CX, done+48(FP); \
	JZ   none; \
	ORDER(swap+40(FP), BX, Y15); \
	LEAQ 64(SI), DX; \
	LEAQ (R9)(R9*2), R10; \
	LEAQ (R8)(R8*2), R11; \
	LEAQ (DI)(R8*4), BX

// PREFETCH prefetches 4 columns for the next strip.
#define PREFETCH \
	PREFETCHT0 (DX); \
	PREFETCHT0 (DX)(R9*1); \
	PREFETCHT0 (DX)(R9*2); \
	PREFETCHT0 (DX)(R10*1); \
	LEAQ       (DX)(R9*4), DX

// LOAD4 loads 16 bytes of each of 4 columns. LOADHIGH4 loads them into the upper halves of A to D.
#define LOAD4(OFF, A, B, C, D) \
	VMOVDQU OFF(SI), A; \
	VMOVDQU OFF(SI)(R9*1), B; \
	VMOVDQU OFF(SI)(R9*2), C; \
	VMOVDQU OFF(SI)(R10*1), D

#define LOADHIGH4(OFF, A, B, C, D) \
	VINSERTI128 $1, OFF(SI), A, A; \
	VINSERTI128 $1, OFF(SI)(R9*1), B, B; \
	VINSERTI128 $1, OFF(SI)(R9*2), C, C; \
	VINSERTI128 $1, OFF(SI)(R10*1), D, D

// SHUFFLE4 reverses the bytes of items.
#define SHUFFLE4(A, B, C, D) \
	VPSHUFB Y15, A, A; \
	VPSHUFB Y15, B, B; \
	VPSHUFB Y15, C, C; \
	VPSHUFB Y15, D, D

// STORE4 stores 32 bytes of each of 4 rows.
#define STORE4(ROW, A, B, C, D) \
	VMOVDQU A, (ROW); \
	VMOVDQU B, (ROW)(R8*1); \
	VMOVDQU C, (ROW)(R8*2); \
	VMOVDQU D, (ROW)(R11*1)

// NEXT goes on to the next columns.
#define NEXT(COLUMNS, loop) \
	ADDQ $32, DI; \
	ADDQ $32, BX; \
	SUBQ $COLUMNS, CX; \
	JNZ  loop

// ROWS4OF16 moves 4 rows of 2 columns of items of 16 bytes.
#define ROWS4OF16(OFF, ROW) \
	VMOVDQU     (OFF+0)(SI), X0; \
	VMOVDQU     (OFF+16)(SI), X1; \
	VMOVDQU     (OFF+32)(SI), X2; \
	VMOVDQU     (OFF+48)(SI), X3; \
	VINSERTI128 $1, (OFF+0)(SI)(R9*1), Y0, Y0; \
	VINSERTI128 $1, (OFF+16)(SI)(R9*1), Y1, Y1; \
	VINSERTI128 $1, (OFF+32)(SI)(R9*1), Y2, Y2; \
	VINSERTI128 $1, (OFF+48)(SI)(R9*1), Y3, Y3; \
	SHUFFLE4(Y0, Y1, Y2, Y3); \
	STORE4(ROW, Y0, Y1, Y2, Y3)

TEXT ·transposeStrip16(SB), NOSPLIT, $0-56
	ARGS(2)

loop:
	PREFETCHT0 128(SI) // the next strip is 128 bytes further on
	PREFETCHT0 192(SI)
	PREFETCHT0 128(SI)(R9*1)
	PREFETCHT0 192(SI)(R9*1)
	ROWS4OF16(0, DI)
	ROWS4OF16(64, BX)
	LEAQ (SI)(R9*2), SI
	NEXT(2, loop)
	VZEROUPPER

none:
	RET

// ROWS4OF8 moves 4 rows of 4 columns of items of 8 bytes. One register holds columns 0 and 2 in its halves, and another
// one columns 1 and 3. Unpacking the low and the high items of both results in two rows.
#define ROWS4OF8(OFF, ROW) \
	VMOVDQU     OFF(SI), X0; \
	VMOVDQU     OFF(SI)(R9*1), X1; \
	VMOVDQU     (OFF+16)(SI), X2; \
	VMOVDQU     (OFF+16)(SI)(R9*1), X3; \
	VINSERTI128 $1, OFF(SI)(R9*2), Y0, Y0; \
	VINSERTI128 $1, OFF(SI)(R10*1), Y1, Y1; \
	VINSERTI128 $1, (OFF+16)(SI)(R9*2), Y2, Y2; \
	VINSERTI128 $1, (OFF+16)(SI)(R10*1), Y3, Y3; \
	SHUFFLE4(Y0, Y1, Y2, Y3); \
	VPUNPCKLQDQ Y1, Y0, Y4; \
	VPUNPCKHQDQ Y1, Y0, Y5; \
	VPUNPCKLQDQ Y3, Y2, Y6; \
	VPUNPCKHQDQ Y3, Y2, Y7; \
	STORE4(ROW, Y4, Y5, Y6, Y7)

TEXT ·transposeStrip8(SB), NOSPLIT, $0-56
	ARGS(4)

loop:
	PREFETCH
	ROWS4OF8(0, DI)
	ROWS4OF8(32, BX)
	LEAQ (SI)(R9*4), SI
	NEXT(4, loop)
	VZEROUPPER

none:
	RET

// PAIRS4 transposes 4 columns of 32-bit items in each half of A to D. The results are 4 rows in the same registers. T
// and U are scratch.
#define PAIRS4(A, B, C, D, T, U) \
	VPUNPCKLDQ  B, A, T; \
	VPUNPCKHDQ  B, A, A; \
	VPUNPCKLDQ  D, C, U; \
	VPUNPCKHDQ  D, C, C; \
	VPUNPCKHQDQ U, T, B; \
	VPUNPCKLQDQ U, T, T; \
	VPUNPCKHQDQ C, A, D; \
	VPUNPCKLQDQ C, A, C; \
	VMOVDQA     T, A

TEXT ·transposeStrip4(SB), NOSPLIT, $0-56
	ARGS(8)

loop:
	PREFETCH
	PREFETCH
	LOAD4(0, X0, X1, X2, X3)
	LOAD4(16, X4, X5, X6, X7)
	LEAQ (SI)(R9*4), SI
	LOADHIGH4(0, Y0, Y1, Y2, Y3)
	LOADHIGH4(16, Y4, Y5, Y6, Y7)
	LEAQ (SI)(R9*4), SI
	SHUFFLE4(Y0, Y1, Y2, Y3)
	SHUFFLE4(Y4, Y5, Y6, Y7)
	PAIRS4(Y0, Y1, Y2, Y3, Y8, Y9)
	PAIRS4(Y4, Y5, Y6, Y7, Y8, Y9)
	STORE4(DI, Y0, Y1, Y2, Y3)
	STORE4(BX, Y4, Y5, Y6, Y7)
	NEXT(8, loop)
	VZEROUPPER

none:
	RET

TEXT ·transposeStrip2(SB), NOSPLIT, $0-56
	ARGS(16)

loop:
	PREFETCH
	PREFETCH
	PREFETCH
	PREFETCH
	LOAD4(0, X0, X1, X2, X3)
	LEAQ (SI)(R9*4), SI
	LOAD4(0, X4, X5, X6, X7)
	LEAQ (SI)(R9*4), SI
	LOADHIGH4(0, Y0, Y1, Y2, Y3)
	LEAQ (SI)(R9*4), SI
	LOADHIGH4(0, Y4, Y5, Y6, Y7)
	LEAQ (SI)(R9*4), SI
	SHUFFLE4(Y0, Y1, Y2, Y3)
	SHUFFLE4(Y4, Y5, Y6, Y7)

	// Pairs of columns: rows 0 to 3, and rows 4 to 7.
	VPUNPCKLWD Y1, Y0, Y8
	VPUNPCKHWD Y1, Y0, Y9
	VPUNPCKLWD Y3, Y2, Y10
	VPUNPCKHWD Y3, Y2, Y11
	VPUNPCKLWD Y5, Y4, Y12
	VPUNPCKHWD Y5, Y4, Y13
	VPUNPCKLWD Y7, Y6, Y14
	VPUNPCKHWD Y7, Y6, Y7
	PAIRS4(Y8, Y10, Y12, Y14, Y0, Y1)
	PAIRS4(Y9, Y11, Y13, Y7, Y0, Y1)
	STORE4(DI, Y8, Y10, Y12, Y14)
	STORE4(BX, Y9, Y11, Y13, Y7)
	NEXT(16, loop)
	VZEROUPPER

none:
	RET

// strip1 transposes 8 columns of 8 bytes. It interleaves the bytes of two columns, then of four columns, and then of
// eight columns.
TEXT ·transposeStrip1(SB), NOSPLIT, $0-56
	ARGS(8)

loop:
	PREFETCH
	VMOVQ      (SI), X0
	VMOVQ      (SI)(R9*1), X1
	VMOVQ      (SI)(R9*2), X2
	VMOVQ      (SI)(R10*1), X3
	LEAQ       (SI)(R9*4), SI
	PREFETCH
	VMOVQ      (SI), X4
	VMOVQ      (SI)(R9*1), X5
	VMOVQ      (SI)(R9*2), X6
	VMOVQ      (SI)(R10*1), X7
	LEAQ       (SI)(R9*4), SI
	VPUNPCKLBW X1, X0, X0
	VPUNPCKLBW X3, X2, X2
	VPUNPCKLBW X5, X4, X4
	VPUNPCKLBW X7, X6, X6
	VPUNPCKLWD X2, X0, X1
	VPUNPCKHWD X2, X0, X3
	VPUNPCKLWD X6, X4, X5
	VPUNPCKHWD X6, X4, X7
	VPUNPCKLDQ X5, X1, X0
	VPUNPCKHDQ X5, X1, X2
	VPUNPCKLDQ X7, X3, X4
	VPUNPCKHDQ X7, X3, X6
	VMOVQ      X0, (DI)
	VMOVHPS    X0, (DI)(R8*1)
	VMOVQ      X2, (DI)(R8*2)
	VMOVHPS    X2, (DI)(R11*1)
	VMOVQ      X4, (BX)
	VMOVHPS    X4, (BX)(R8*1)
	VMOVQ      X6, (BX)(R8*2)
	VMOVHPS    X6, (BX)(R11*1)
	ADDQ       $8, DI
	ADDQ       $8, BX
	SUBQ       $8, CX
	JNZ        loop
	VZEROUPPER

none:
	RET
