//go:build amd64 && !purego && !race

#include "textflag.h"

// ITEMS moves m × n items, four at a time, by LOAD from memory to a register A and STORE
// back; FLIP reverses the bytes in between. DI and SI go along a row; R8 and R9 are
// the distances of its items, R10 and R11 these 3 times, R12 and R13 what leads from the
// end of a row to the next.
#define ITEMS(LOAD, FLIP, STORE, A) \
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
	SUBQ  AX, R13; \
	LEAQ  (R8)(R8*2), R10; \
	LEAQ  (R9)(R9*2), R11; \
row: \
	MOVQ  BX, CX; \
	SUBQ  $4, CX; \
	JB    rest; \
four: \
	LOAD  (SI), A; \
	FLIP(A); \
	STORE A, (DI); \
	LOAD  (SI)(R9*1), A; \
	FLIP(A); \
	STORE A, (DI)(R8*1); \
	LOAD  (SI)(R9*2), A; \
	FLIP(A); \
	STORE A, (DI)(R8*2); \
	LOAD  (SI)(R11*1), A; \
	FLIP(A); \
	STORE A, (DI)(R10*1); \
	LEAQ  (SI)(R9*4), SI; \
	LEAQ  (DI)(R8*4), DI; \
	SUBQ  $4, CX; \
	JAE   four; \
rest: \
	ADDQ  $4, CX; \
	JZ    next; \
one: \
	LOAD  (SI), A; \
	FLIP(A); \
	STORE A, (DI); \
	ADDQ  R9, SI; \
	ADDQ  R8, DI; \
	DECQ  CX; \
	JNZ   one; \
next: \
	ADDQ  R12, DI; \
	ADDQ  R13, SI; \
	DECQ  DX; \
	JNZ   row; \
	RET

// FILLS makes m × n items, four at a time, the register A: DI goes along a row, R8 is the
// distance of its items and R10 that 3 times, R12 leads from the end of a row to the next.
#define FILLS(LOAD, STORE, A) \
	MOVQ  m+0(FP), DX; \
	MOVQ  n+8(FP), BX; \
	MOVQ  dst_P+16(FP), DI; \
	MOVQ  dst_Row+24(FP), R12; \
	MOVQ  dst_Item+32(FP), R8; \
	MOVQ  item+40(FP), SI; \
	LOAD  (SI), A; \
	MOVQ  BX, CX; \
	IMULQ R8, CX; \
	SUBQ  CX, R12; \
	LEAQ  (R8)(R8*2), R10; \
row: \
	MOVQ  BX, CX; \
	SUBQ  $4, CX; \
	JB    rest; \
four: \
	STORE A, (DI); \
	STORE A, (DI)(R8*1); \
	STORE A, (DI)(R8*2); \
	STORE A, (DI)(R10*1); \
	LEAQ  (DI)(R8*4), DI; \
	SUBQ  $4, CX; \
	JAE   four; \
rest: \
	ADDQ  $4, CX; \
	JZ    next; \
one: \
	STORE A, (DI); \
	ADDQ  R8, DI; \
	DECQ  CX; \
	JNZ   one; \
next: \
	ADDQ  R12, DI; \
	DECQ  DX; \
	JNZ   row; \
	RET

#define NONE(A)
#define FLIP2(A) ROLW $8, A
#define FLIP4(A) BSWAPL A
#define FLIP8(A) BSWAPQ A

// func items1(m, n int, dst, src Side)
TEXT ·items1(SB), NOSPLIT, $0-64
	ITEMS(MOVBLZX, NONE, MOVB, AX)

// func items2(m, n int, dst, src Side)
TEXT ·items2(SB), NOSPLIT, $0-64
	ITEMS(MOVWLZX, NONE, MOVW, AX)

// func items4(m, n int, dst, src Side)
TEXT ·items4(SB), NOSPLIT, $0-64
	ITEMS(MOVL, NONE, MOVL, AX)

// func items8(m, n int, dst, src Side)
TEXT ·items8(SB), NOSPLIT, $0-64
	ITEMS(MOVQ, NONE, MOVQ, AX)

// func items16(m, n int, dst, src Side)
TEXT ·items16(SB), NOSPLIT, $0-64
	ITEMS(MOVUPS, NONE, MOVUPS, X0)

// func reversed2(m, n int, dst, src Side)
TEXT ·reversed2(SB), NOSPLIT, $0-64
	ITEMS(MOVWLZX, FLIP2, MOVW, AX)

// func reversed4(m, n int, dst, src Side)
TEXT ·reversed4(SB), NOSPLIT, $0-64
	ITEMS(MOVL, FLIP4, MOVL, AX)

// func reversed8(m, n int, dst, src Side)
TEXT ·reversed8(SB), NOSPLIT, $0-64
	ITEMS(MOVQ, FLIP8, MOVQ, AX)

// ROWS copies m rows of n bytes, a vector of SIZE bytes at a time; the last one of a row
// overlaps the one before. Y15 reverses the bytes of items.
#define ROWS(SIZE, X, MASK, row, vector, last) \
	SUBQ    $SIZE, BX; \
row: \
	XORL    AX, AX; \
	CMPQ    AX, BX; \
	JAE     last; \
vector: \
	VMOVDQU (SI)(AX*1), X; \
	VPSHUFB MASK, X, X; \
	VMOVDQU X, (DI)(AX*1); \
	ADDQ    $SIZE, AX; \
	CMPQ    AX, BX; \
	JB      vector; \
last: \
	VMOVDQU (SI)(BX*1), X; \
	VPSHUFB MASK, X, X; \
	VMOVDQU X, (DI)(BX*1); \
	ADDQ    R8, DI; \
	ADDQ    R9, SI; \
	DECQ    DX; \
	JNZ     row; \
	VZEROUPPER; \
	RET

// func rows(m, n int, dst, src Side, mask *[16]byte)
TEXT ·rows(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), DX
	MOVQ n+8(FP), BX
	MOVQ dst_P+16(FP), DI
	MOVQ dst_Row+24(FP), R8
	MOVQ src_P+40(FP), SI
	MOVQ src_Row+48(FP), R9
	MOVQ mask+64(FP), AX
	VBROADCASTI128 (AX), Y15
	CMPQ BX, $32
	JB   half
	ROWS(32, Y0, Y15, row, vector, last)

half:
	ROWS(16, X0, X15, halfRow, halfVector, halfLast)

// func fills1(m, n int, dst Side, item Pointer)
TEXT ·fills1(SB), NOSPLIT, $0-48
	FILLS(MOVBLZX, MOVB, AX)

// func fills2(m, n int, dst Side, item Pointer)
TEXT ·fills2(SB), NOSPLIT, $0-48
	FILLS(MOVWLZX, MOVW, AX)

// func fills4(m, n int, dst Side, item Pointer)
TEXT ·fills4(SB), NOSPLIT, $0-48
	FILLS(MOVL, MOVL, AX)

// func fills8(m, n int, dst Side, item Pointer)
TEXT ·fills8(SB), NOSPLIT, $0-48
	FILLS(MOVQ, MOVQ, AX)

// func fills16(m, n int, dst Side, item Pointer)
TEXT ·fills16(SB), NOSPLIT, $0-48
	FILLS(MOVUPS, MOVUPS, X0)

// func fence()
TEXT ·fence(SB), NOSPLIT, $0-0
	SFENCE
	RET

// Rows of n bytes are filled 128 bytes at a time, then 32; the last vector of a row overlaps
// the one before.
//
// func fillRows(m, n int, dst Side, item Pointer, size int)
TEXT ·fillRows(SB), NOSPLIT, $0-56
	MOVQ m+0(FP), DX
	MOVQ n+8(FP), BX
	MOVQ dst_P+16(FP), DI
	MOVQ dst_Row+24(FP), R8
	MOVQ item+40(FP), SI
	MOVQ size+48(FP), CX
	CMPQ CX, $2
	JB   one
	JEQ  two
	CMPQ CX, $8
	JB   four
	JEQ  eight
	VBROADCASTI128 (SI), Y0
	JMP  start

one:
	VPBROADCASTB (SI), Y0
	JMP          start

two:
	VPBROADCASTW (SI), Y0
	JMP          start

four:
	VPBROADCASTD (SI), Y0
	JMP          start

eight:
	VPBROADCASTQ (SI), Y0

start:
	SUBQ $32, BX     // where the last vector of a row is
	LEAQ -96(BX), R9 // where 128 bytes no longer fit before it

row:
	XORL AX, AX
	JMP  check

blocks:
	VMOVDQU Y0, 0(DI)(AX*1)
	VMOVDQU Y0, 32(DI)(AX*1)
	VMOVDQU Y0, 64(DI)(AX*1)
	VMOVDQU Y0, 96(DI)(AX*1)
	ADDQ    $128, AX

check:
	CMPQ AX, R9
	JLT  blocks
	JMP  checkOne

vector:
	VMOVDQU Y0, (DI)(AX*1)
	ADDQ    $32, AX

checkOne:
	CMPQ AX, BX
	JLT  vector
	VMOVDQU Y0, (DI)(BX*1)
	ADDQ R8, DI
	DECQ DX
	JNZ  row
	VZEROUPPER
	RET

// The instruction that the system's memset uses for what is large.
//
// func stos(dst Pointer, n int, x uint64)
TEXT ·stos(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ x+16(FP), AX
	CLD
	REP; STOSQ
	RET
