//go:build amd64 && !purego && !race

#include "textflag.h"
#include "loops_amd64.h"
#include "items_amd64.h"

// MOVE defines the loop NAME over m × n items: see ITEMS.
#define MOVE(NAME, FIRST, LOAD, FLIP, STORE) \
TEXT NAME(SB), NOSPLIT, $0-72; \
	MOVQ m+0(FP), AX; \
	MOVQ AX, done+64(FP); \
	ITEMS(FIRST, LOAD, FLIP, STORE); \
	RET

MOVE(·moveItems1, NOLOAD, LOAD1, NOFLIP, STORE1)
MOVE(·moveItems2, NOLOAD, LOAD2, NOFLIP, STORE2)
MOVE(·moveItems4, NOLOAD, LOAD4, NOFLIP, STORE4)
MOVE(·moveItems8, NOLOAD, LOAD8, NOFLIP, STORE8)
MOVE(·moveItems16, NOLOAD, LOAD16, NOFLIP, STORE16)
MOVE(·reverseItems2, NOLOAD, LOAD2, FLIP2, STORE2)
MOVE(·reverseItems4, NOLOAD, LOAD4, FLIP4, STORE4)
MOVE(·reverseItems8, NOLOAD, LOAD8, FLIP8, STORE8)

// Each part of a complex number is a group of bytes.
MOVE(·reverseHalves8, NOLOAD, LOAD8, FLIP44, STORE8)
MOVE(·reverseHalves16, MASK88, LOAD16, FLIP88, STORE16)

// All items are the first one, which is loaded only once.
MOVE(·fillItems1, LOAD1, NOLOAD, NOFLIP, STORE1)
MOVE(·fillItems2, LOAD2, NOLOAD, NOFLIP, STORE2)
MOVE(·fillItems4, LOAD4, NOLOAD, NOFLIP, STORE4)
MOVE(·fillItems8, LOAD8, NOLOAD, NOFLIP, STORE8)
MOVE(·fillItems16, LOAD16, NOLOAD, NOFLIP, STORE16)

// ROWS is the loop
//
//	for range m {
//		for k := 0; k < n-SIZE; k += SIZE {
//			move(dst+k, src+k)
//		}
//		move(dst+n-SIZE, src+n-SIZE) // may overlap the previous vector
//		dst, src = dst+dstRow, src+srcRow
//	}
//
// where move moves a vector of SIZE bytes in X and reverses bytes by the shuffle MASK.
//
//	DX, BX   remaining rows, n-SIZE
//	DI, SI   row of dst and src
//	R8, R9   the distance of rows in dst and src
//	AX       k
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

TEXT ·moveByteRows(SB), NOSPLIT, $0-80
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

// fillRows fills rows 128 bytes at a time, and then 32 bytes at a time. The last vector of a row may overlap the
// previous one.
//
//	DX       remaining rows
//	DI, R8   row, and the distance of rows
//	AX       offset in the row
//	BX       offset of the last vector of a row: n-32
//	R9       limit of AX for 128 bytes at a time: n-128
//	Y0       copies of the item
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
	SUBQ $32, BX     // the offset of the last vector
	LEAQ -96(BX), R9 // the limit of offsets for 128 bytes

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

// fillLong stores x in each of n/8 words, with the instruction that memset of the system uses for long runs.
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
