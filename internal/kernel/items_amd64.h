// START loads the arguments of a loop over m × n items:
//
//	DX, BX     m, n
//	DI, SI     the current item of dst and src
//	R8, R9     the distance of items in dst and src
//	R12, R13   the distance from the end of a row to the next row, in dst and src
//
// It clobbers AX.
#define START \
	MOVQ  m+0(FP), DX; \
	MOVQ  n+8(FP), BX; \
	MOVQ  dst_P+16(FP), DI; \
	MOVQ  dst_Row+24(FP), R12; \
	MOVQ  dst_Item+32(FP), R8; \
	MOVQ  src_P+40(FP), SI; \
	MOVQ  src_Row+48(FP), R13; \
	MOVQ  src_Item+56(FP), R9; \
	MOVQ  BX, AX; \
	IMULQ R8, AX; \
	SUBQ  AX, R12; \
	MOVQ  BX, AX; \
	IMULQ R9, AX; \
	SUBQ  AX, R13

// ITEMS is the loop
//
//	for range m {
//		for range n {
//			*dst = flip(*src)
//			dst, src = dst+dstItem, src+srcItem
//		}
//		dst, src = dst+dstRow-n*dstItem, src+srcRow-n*srcItem
//	}
//
// four items at a time. LOAD loads an item into a register, FLIP reverses its bytes there, and STORE stores it. FIRST
// does before the loop what LOAD need not repeat. It uses the registers of START, and
//
//	CX         remaining items of the row
//	R10, R11   3*R8, 3*R9
#define ITEMS(FIRST, LOAD, FLIP, STORE) \
	START; \
	LEAQ  (R8)(R8*2), R10; \
	LEAQ  (R9)(R9*2), R11; \
	FIRST((SI)); \
row: \
	MOVQ  BX, CX; \
	SUBQ  $4, CX; \
	JB    rest; \
four: \
	LOAD((SI)); \
	FLIP; \
	STORE((DI)); \
	LOAD((SI)(R9*1)); \
	FLIP; \
	STORE((DI)(R8*1)); \
	LOAD((SI)(R9*2)); \
	FLIP; \
	STORE((DI)(R8*2)); \
	LOAD((SI)(R11*1)); \
	FLIP; \
	STORE((DI)(R10*1)); \
	LEAQ  (SI)(R9*4), SI; \
	LEAQ  (DI)(R8*4), DI; \
	SUBQ  $4, CX; \
	JAE   four; \
rest: \
	ADDQ  $4, CX; \
	JZ    next; \
one: \
	LOAD((SI)); \
	FLIP; \
	STORE((DI)); \
	ADDQ  R9, SI; \
	ADDQ  R8, DI; \
	DECQ  CX; \
	JNZ   one; \
next: \
	ADDQ  R12, DI; \
	ADDQ  R13, SI; \
	DECQ  DX; \
	JNZ   row

// Items are in AX, or in X0 if they have 16 bytes. The number in a name is the size of an item in bytes; two numbers
// are the sizes of its groups of bytes.
#define NOLOAD(X)
#define LOAD1(X) MOVBLZX X, AX
#define LOAD2(X) MOVWLZX X, AX
#define LOAD4(X) MOVL X, AX
#define LOAD8(X) MOVQ X, AX
#define LOAD16(X) MOVUPS X, X0
#define STORE1(X) MOVB AX, X
#define STORE2(X) MOVW AX, X
#define STORE4(X) MOVL AX, X
#define STORE8(X) MOVQ AX, X
#define STORE16(X) MOVUPS X0, X
#define NOFLIP
#define FLIP2 ROLW $8, AX
#define FLIP4 BSWAPL AX
#define FLIP8 BSWAPQ AX
#define FLIP44 BSWAPQ AX; RORQ $32, AX
#define FLIP88 PSHUFB X15, X0
#define MASK88(X) MOVUPS ·masks+128(SB), X15
