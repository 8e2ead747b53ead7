// START loads what a loop over m × n items needs: DI and SI go along a row; R8 and R9 are the
// distances of its items, R12 and R13 what leads from the end of a row to the next.
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

// ITEMS is the loop over m × n items, four at a time: LOAD takes one from memory to a
// register, FLIP reverses its bytes there, and STORE stores it. FIRST loads what LOAD does
// not. R10 and R11 are 3 times R8 and R9.
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
