//go:build amd64 && !purego && !race

#include "textflag.h"

// TWOFOLD adds Y0 to HI, and what that loses by rounding, of HI and of Y0, to LO: see Twofold.
#define TWOFOLD(HI, LO) \
	VMOVUPD HI, Y4; \
	VADDPD  Y0, Y4, Y5; \
	VSUBPD  Y4, Y5, Y6; \
	VSUBPD  Y6, Y5, Y7; \
	VSUBPD  Y7, Y4, Y7; \
	VSUBPD  Y6, Y0, Y0; \
	VADDPD  Y0, Y7, Y7; \
	VADDPD  LO, Y7, Y7; \
	VMOVUPD Y5, HI; \
	VMOVUPD Y7, LO

// SUBTRACTED makes Y0 to Y3 the next 4 columns of 4 rows less from, does ADD, and so on for n
// columns, of m times 4 rows.
#define SUBTRACTED(ADD) \
	MOVQ    sum+0(FP), DI; \
	MOVQ    from+8(FP), SI; \
	MOVQ    p+16(FP), R8; \
	MOVQ    stride+24(FP), R9; \
	MOVQ    m+32(FP), DX; \
	LEAQ    (R9)(R9*2), R10; \
rows: \
	MOVQ    n+40(FP), CX; \
	MOVQ    R8, R11; \
	MOVQ    R8, R12; \
	ADDQ    ahead+48(FP), R12; \
	XORQ    AX, AX; \
columns: \
	VMOVUPD (SI)(AX*1), Y15; \
	VMOVUPD (R11), Y0; \
	VMOVUPD (R11)(R9*1), Y1; \
	VMOVUPD (R11)(R9*2), Y2; \
	VMOVUPD (R11)(R10*1), Y3; \
	VSUBPD  Y15, Y0, Y0; \
	VSUBPD  Y15, Y1, Y1; \
	VSUBPD  Y15, Y2, Y2; \
	VSUBPD  Y15, Y3, Y3; \
	PREFETCHT0 (R12); \
	PREFETCHT0 (R12)(R9*1); \
	PREFETCHT0 (R12)(R9*2); \
	PREFETCHT0 (R12)(R10*1); \
	ADD; \
	ADDQ    $32, AX; \
	ADDQ    $32, R12; \
	ADDQ    $32, R11; \
	SUBQ    $4, CX; \
	JNZ     columns; \
	LEAQ    (R8)(R9*4), R8; \
	DECQ    DX; \
	JNZ     rows; \
	VZEROUPPER; \
	RET

#define SUMS \
	VADDPD  Y1, Y0, Y0; \
	VADDPD  Y3, Y2, Y2; \
	VADDPD  Y2, Y0, Y0; \
	VADDPD  (DI)(AX*1), Y0, Y0; \
	VMOVUPD Y0, (DI)(AX*1)

#define SQUARES \
	VMULPD  Y0, Y0, Y0; \
	VMULPD  Y1, Y1, Y1; \
	VMULPD  Y2, Y2, Y2; \
	VMULPD  Y3, Y3, Y3; \
	VADDPD  Y1, Y0, Y0; \
	VADDPD  Y3, Y2, Y2; \
	VADDPD  Y2, Y0, Y0; \
	TWOFOLD((DI)(AX*1), (BX)(AX*1))

// EXTREMES does ROW to m rows of 128 bytes at a time, and what is in Y0 to Y3. It prefetches the rows of the
// block after the next.
#define EXTREMES(ROW) \
	MOVQ    x+0(FP), DI; \
	MOVQ    p+8(FP), SI; \
	MOVQ    stride+16(FP), R8; \
	MOVQ    m+24(FP), R9; \
	MOVQ    blocks+32(FP), CX; \
block: \
	VMOVDQU (DI), Y0; \
	VMOVDQU 32(DI), Y1; \
	VMOVDQU 64(DI), Y2; \
	VMOVDQU 96(DI), Y3; \
	MOVQ    SI, R10; \
	MOVQ    R9, R11; \
row: \
	ROW; \
	PREFETCHT0 256(R10); \
	PREFETCHT0 320(R10); \
	ADDQ    R8, R10; \
	DECQ    R11; \
	JNZ     row; \
	VMOVDQU Y0, (DI); \
	VMOVDQU Y1, 32(DI); \
	VMOVDQU Y2, 64(DI); \
	VMOVDQU Y3, 96(DI); \
	ADDQ    $128, DI; \
	ADDQ    $128, SI; \
	DECQ    CX; \
	JNZ     block; \
	VZEROUPPER; \
	RET

#define INTEGERS(OP) \
	OP (R10), Y0, Y0; \
	OP 32(R10), Y1, Y1; \
	OP 64(R10), Y2, Y2; \
	OP 96(R10), Y3, Y3

// FLOAT1 makes A NaN where X is; OP has A where either is.
#define FLOAT1(OP, CMP, BLEND, OFF, X, A, MASK) \
	VMOVDQU OFF(R10), X; \
	CMP     $3, X, X, MASK; \
	OP      A, X, A; \
	BLEND   MASK, X, A, A

#define FLOATS(OP, CMP, BLEND) \
	FLOAT1(OP, CMP, BLEND, 0, Y4, Y0, Y8); \
	FLOAT1(OP, CMP, BLEND, 32, Y5, Y1, Y9); \
	FLOAT1(OP, CMP, BLEND, 64, Y6, Y2, Y10); \
	FLOAT1(OP, CMP, BLEND, 96, Y7, Y3, Y11)

// COLUMNS adds m rows of integers of SIZE bytes to the sums at DI, 16 columns at a time: ZERO
// clears the accumulators, ROW adds the row at R10 to them, and ADDED adds them to the sums. It prefetches the
// same rows, 128 bytes further on.
#define COLUMNS(SIZE, ZERO, ROW, ADDED) \
	MOVQ sum+0(FP), DI; \
	MOVQ p+8(FP), SI; \
	MOVQ stride+16(FP), R8; \
	MOVQ m+24(FP), R9; \
	MOVQ blocks+32(FP), CX; \
block: \
	ZERO; \
	MOVQ SI, R10; \
	MOVQ R9, R11; \
row: \
	ROW; \
	PREFETCHT0 128(R10); \
	ADDQ R8, R10; \
	DECQ R11; \
	JNZ  row; \
	ADDED; \
	ADDQ $128, DI; \
	ADDQ $(16*SIZE), SI; \
	DECQ CX; \
	JNZ  block; \
	VZEROUPPER; \
	RET

// Integers of 1 and 2 bytes are added in 32 bits: LANES widens 8 integers to 32 bits, and LONG 4
// of the sums to 64.
#define SHORTZERO \
	VPXOR Y0, Y0, Y0; \
	VPXOR Y1, Y1, Y1

#define SHORTROW(SIZE, LANES) \
	LANES  (R10), Y2; \
	LANES  (8*SIZE)(R10), Y3; \
	VPADDD Y2, Y0, Y0; \
	VPADDD Y3, Y1, Y1

#define SHORTADDED(LONG) \
	VEXTRACTI128 $1, Y0, X2; \
	VEXTRACTI128 $1, Y1, X3; \
	LONG X0, Y0; \
	LONG X2, Y2; \
	LONG X1, Y1; \
	LONG X3, Y3; \
	ADDED(0, Y0); \
	ADDED(32, Y2); \
	ADDED(64, Y1); \
	ADDED(96, Y3)

// Those of 4 bytes are added in 64 bits.
#define LONGZERO \
	SHORTZERO; \
	VPXOR Y2, Y2, Y2; \
	VPXOR Y3, Y3, Y3

#define LONGROW(LONG) \
	LONG   (R10), Y4; \
	LONG   16(R10), Y5; \
	LONG   32(R10), Y6; \
	LONG   48(R10), Y7; \
	VPADDQ Y4, Y0, Y0; \
	VPADDQ Y5, Y1, Y1; \
	VPADDQ Y6, Y2, Y2; \
	VPADDQ Y7, Y3, Y3

#define LONGADDED \
	ADDED(0, Y0); \
	ADDED(32, Y1); \
	ADDED(64, Y2); \
	ADDED(96, Y3)

#define ADDED(AT, Y) \
	VPADDQ  AT(DI), Y, Y; \
	VMOVDQU Y, AT(DI)

// func addRowsF64(hi, lo *float64, p Pointer, stride, n int)
//
// It adds 8 rows of n float64, a multiple of 4, as AddFloats does, and prefetches what is 256 bytes further on.
TEXT ·addRowsF64(SB), NOSPLIT, $0-40
	MOVQ hi+0(FP), DI
	MOVQ lo+8(FP), SI
	MOVQ p+16(FP), R8
	MOVQ stride+24(FP), R9
	MOVQ n+32(FP), CX
	LEAQ (R9)(R9*2), R10
	LEAQ (R8)(R9*4), R11

loop:
	PREFETCHT0 256(R8)
	PREFETCHT0 256(R8)(R9*1)
	PREFETCHT0 256(R8)(R9*2)
	PREFETCHT0 256(R8)(R10*1)
	PREFETCHT0 256(R11)
	PREFETCHT0 256(R11)(R9*1)
	PREFETCHT0 256(R11)(R9*2)
	PREFETCHT0 256(R11)(R10*1)
	VMOVUPD (R8), Y0
	VADDPD  (R8)(R9*1), Y0, Y0
	VMOVUPD (R8)(R9*2), Y1
	VADDPD  (R8)(R10*1), Y1, Y1
	VMOVUPD (R11), Y2
	VADDPD  (R11)(R9*1), Y2, Y2
	VMOVUPD (R11)(R9*2), Y3
	VADDPD  (R11)(R10*1), Y3, Y3
	VADDPD  Y1, Y0, Y0
	VADDPD  Y3, Y2, Y2
	VADDPD  Y2, Y0, Y0
	TWOFOLD((DI), (SI))
	ADDQ    $32, DI
	ADDQ    $32, SI
	ADDQ    $32, R8
	ADDQ    $32, R11
	SUBQ    $4, CX
	JNZ     loop
	VZEROUPPER
	RET

// func subtractedSums(sum, from *float64, p Pointer, stride, m, n, ahead int)
TEXT ·subtractedSums(SB), NOSPLIT, $0-56
	SUBTRACTED(SUMS)

// func subtractedSquares(sum, from *float64, p Pointer, stride, m, n, ahead int, lo *float64)
TEXT ·subtractedSquares(SB), NOSPLIT, $0-64
	MOVQ lo+56(FP), BX
	SUBTRACTED(SQUARES)

// func leastI8(x, p Pointer, stride, m, blocks int)
TEXT ·leastI8(SB), NOSPLIT, $0-40
	EXTREMES(INTEGERS(VPMINSB))

// func greatestI8(x, p Pointer, stride, m, blocks int)
TEXT ·greatestI8(SB), NOSPLIT, $0-40
	EXTREMES(INTEGERS(VPMAXSB))

// func leastU8(x, p Pointer, stride, m, blocks int)
TEXT ·leastU8(SB), NOSPLIT, $0-40
	EXTREMES(INTEGERS(VPMINUB))

// func greatestU8(x, p Pointer, stride, m, blocks int)
TEXT ·greatestU8(SB), NOSPLIT, $0-40
	EXTREMES(INTEGERS(VPMAXUB))

// func leastI16(x, p Pointer, stride, m, blocks int)
TEXT ·leastI16(SB), NOSPLIT, $0-40
	EXTREMES(INTEGERS(VPMINSW))

// func greatestI16(x, p Pointer, stride, m, blocks int)
TEXT ·greatestI16(SB), NOSPLIT, $0-40
	EXTREMES(INTEGERS(VPMAXSW))

// func leastU16(x, p Pointer, stride, m, blocks int)
TEXT ·leastU16(SB), NOSPLIT, $0-40
	EXTREMES(INTEGERS(VPMINUW))

// func greatestU16(x, p Pointer, stride, m, blocks int)
TEXT ·greatestU16(SB), NOSPLIT, $0-40
	EXTREMES(INTEGERS(VPMAXUW))

// func leastI32(x, p Pointer, stride, m, blocks int)
TEXT ·leastI32(SB), NOSPLIT, $0-40
	EXTREMES(INTEGERS(VPMINSD))

// func greatestI32(x, p Pointer, stride, m, blocks int)
TEXT ·greatestI32(SB), NOSPLIT, $0-40
	EXTREMES(INTEGERS(VPMAXSD))

// func leastU32(x, p Pointer, stride, m, blocks int)
TEXT ·leastU32(SB), NOSPLIT, $0-40
	EXTREMES(INTEGERS(VPMINUD))

// func greatestU32(x, p Pointer, stride, m, blocks int)
TEXT ·greatestU32(SB), NOSPLIT, $0-40
	EXTREMES(INTEGERS(VPMAXUD))

// func leastF32(x, p Pointer, stride, m, blocks int)
TEXT ·leastF32(SB), NOSPLIT, $0-40
	EXTREMES(FLOATS(VMINPS, VCMPPS, VBLENDVPS))

// func greatestF32(x, p Pointer, stride, m, blocks int)
TEXT ·greatestF32(SB), NOSPLIT, $0-40
	EXTREMES(FLOATS(VMAXPS, VCMPPS, VBLENDVPS))

// func leastF64(x, p Pointer, stride, m, blocks int)
TEXT ·leastF64(SB), NOSPLIT, $0-40
	EXTREMES(FLOATS(VMINPD, VCMPPD, VBLENDVPD))

// func greatestF64(x, p Pointer, stride, m, blocks int)
TEXT ·greatestF64(SB), NOSPLIT, $0-40
	EXTREMES(FLOATS(VMAXPD, VCMPPD, VBLENDVPD))

// func addColumnsI8(sum *int64, p Pointer, stride, m, blocks int)
TEXT ·addColumnsI8(SB), NOSPLIT, $0-40
	COLUMNS(1, SHORTZERO, SHORTROW(1, VPMOVSXBD), SHORTADDED(VPMOVSXDQ))

// func addColumnsU8(sum *int64, p Pointer, stride, m, blocks int)
TEXT ·addColumnsU8(SB), NOSPLIT, $0-40
	COLUMNS(1, SHORTZERO, SHORTROW(1, VPMOVZXBD), SHORTADDED(VPMOVZXDQ))

// func addColumnsI16(sum *int64, p Pointer, stride, m, blocks int)
TEXT ·addColumnsI16(SB), NOSPLIT, $0-40
	COLUMNS(2, SHORTZERO, SHORTROW(2, VPMOVSXWD), SHORTADDED(VPMOVSXDQ))

// func addColumnsU16(sum *int64, p Pointer, stride, m, blocks int)
TEXT ·addColumnsU16(SB), NOSPLIT, $0-40
	COLUMNS(2, SHORTZERO, SHORTROW(2, VPMOVZXWD), SHORTADDED(VPMOVZXDQ))

// func addColumnsI32(sum *int64, p Pointer, stride, m, blocks int)
TEXT ·addColumnsI32(SB), NOSPLIT, $0-40
	COLUMNS(4, LONGZERO, LONGROW(VPMOVSXDQ), LONGADDED)

// func addColumnsU32(sum *int64, p Pointer, stride, m, blocks int)
TEXT ·addColumnsU32(SB), NOSPLIT, $0-40
	COLUMNS(4, LONGZERO, LONGROW(VPMOVZXDQ), LONGADDED)
