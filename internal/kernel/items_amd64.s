//go:build amd64 && !purego && !race

#include "textflag.h"
#include "loops_amd64.h"
#include "items_amd64.h"

TEXT ·items1(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(NOLOAD, LOAD1, NOFLIP, STORE1)
	RET

TEXT ·items2(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(NOLOAD, LOAD2, NOFLIP, STORE2)
	RET

TEXT ·items4(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(NOLOAD, LOAD4, NOFLIP, STORE4)
	RET

TEXT ·items8(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(NOLOAD, LOAD8, NOFLIP, STORE8)
	RET

TEXT ·items16(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(NOLOAD, LOAD16, NOFLIP, STORE16)
	RET

TEXT ·reversed2(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(NOLOAD, LOAD2, FLIP2, STORE2)
	RET

TEXT ·reversed4(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(NOLOAD, LOAD4, FLIP4, STORE4)
	RET

TEXT ·reversed8(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(NOLOAD, LOAD8, FLIP8, STORE8)
	RET

// Complex numbers have two groups of bytes.
TEXT ·reversedPairs8(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(NOLOAD, LOAD8, FLIP44, STORE8)
	RET

TEXT ·reversedPairs16(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(MASK88, LOAD16, FLIP88, STORE16)
	RET

// Where all items are one, that is loaded once.
TEXT ·fills1(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(LOAD1, NOLOAD, NOFLIP, STORE1)
	RET

TEXT ·fills2(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(LOAD2, NOLOAD, NOFLIP, STORE2)
	RET

TEXT ·fills4(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(LOAD4, NOLOAD, NOFLIP, STORE4)
	RET

TEXT ·fills8(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(LOAD8, NOLOAD, NOFLIP, STORE8)
	RET

TEXT ·fills16(SB), NOSPLIT, $0-72
	MOVQ m+0(FP), AX
	MOVQ AX, done+64(FP)
	ITEMS(LOAD16, NOLOAD, NOFLIP, STORE16)
	RET

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

TEXT ·rows(SB), NOSPLIT, $0-80
	MOVQ m+0(FP), DX
	MOVQ n+8(FP), BX
	MOVQ dst_P+16(FP), DI
	MOVQ dst_Row+24(FP), R8
	MOVQ src_P+40(FP), SI
	MOVQ src_Row+48(FP), R9
	XORL CX, CX
	CMPQ BX, $16
	CMOVQCC DX, CX
	MOVQ CX, done+72(FP)
	JB   none
	ORDER(swap+64(FP), CX, Y15)
	CMPQ BX, $32
	JB   half
	ROWS(32, Y0, Y15, row, vector, last)

half:
	ROWS(16, X0, X15, halfRow, halfVector, halfLast)

none:
	RET

// Rows of n bytes are filled 128 bytes at a time, then 32; the last vector of a row overlaps
// the one before.
TEXT ·fillRows(SB), NOSPLIT, $0-64
	MOVQ m+0(FP), DX
	MOVQ n+8(FP), BX
	XORL CX, CX
	CMPQ BX, $32
	CMOVQCC DX, CX
	MOVQ CX, done+56(FP)
	JB   none
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

none:
	RET

// The instruction that the system's memset uses for what is large.
TEXT ·fillLong(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ n+8(FP), CX
	SHRQ $3, CX
	MOVQ x+16(FP), AX
	LEAQ (CX*8), BX
	MOVQ BX, done+24(FP)
	CLD
	REP; STOSQ
	RET

TEXT ·fence(SB), NOSPLIT, $0-0
	SFENCE
	RET
