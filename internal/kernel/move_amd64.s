//go:build amd64 && !purego && !race

#include "textflag.h"
#include "loops_amd64.h"

// The loops below change the order of bytes with VPSHUFB, whose mask holds the source of each of 16 bytes. This package
// does not use AVX-512: these loops, which wait for memory or the second cache, were not faster with vectors of 64
// bytes.

// SHUFFLE is the loop
//
//	for k := 0; k < CX; k += 32 {
//		dst[k:k+32] = shuffled(src[k:k+32])
//	}
//
// 128 bytes at a time, and then 32. It loads a block before it stores it, so dst may overlap src if it is lower. STORE
// stores a vector. If it bypasses the caches, DI must be a multiple of 32.
//
//	DI, SI     dst and src
//	CX         remaining bytes, a multiple of 32
//	Y0 to Y3   vectors
//	Y15        the shuffle
#define SHUFFLE(STORE, blocks, vectors, one, end) \
blocks: \
	SUBQ    $128, CX; \
	JB      vectors; \
	VMOVDQU 0(SI), Y0; \
	VMOVDQU 32(SI), Y1; \
	VMOVDQU 64(SI), Y2; \
	VMOVDQU 96(SI), Y3; \
	ADDQ    $128, SI; \
	VPSHUFB Y15, Y0, Y0; \
	VPSHUFB Y15, Y1, Y1; \
	VPSHUFB Y15, Y2, Y2; \
	VPSHUFB Y15, Y3, Y3; \
	STORE   Y0, 0(DI); \
	STORE   Y1, 32(DI); \
	STORE   Y2, 64(DI); \
	STORE   Y3, 96(DI); \
	ADDQ    $128, DI; \
	JMP     blocks; \
vectors: \
	ADDQ    $128, CX; \
	JZ      end; \
one: \
	VMOVDQU (SI), Y0; \
	VPSHUFB Y15, Y0, Y0; \
	STORE   Y0, (DI); \
	ADDQ    $32, SI; \
	ADDQ    $32, DI; \
	SUBQ    $32, CX; \
	JNZ     one; \
end:

// RUN loads the arguments of a loop over n items. It leaves the last LESS items, and more so that the loop stores whole
// vectors.
//
//	DI, SI   dst and src
//	CX       the number of bytes to store
//	BX, DX   scratch
#define RUN(LESS) \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+24(FP), DX; \
	SUBQ $LESS, DX; \
	BSFQ size+32(FP), CX; \
	SHLQ CX, DX; \
	ANDQ $-32, DX; \
	MOVQ DX, BX; \
	SHRQ CX, BX; \
	MOVQ BX, done+56(FP); \
	MOVQ DX, CX; \
	JZ   none

// MASKED is the body of a loop that uses part PART of ·pick. LOOP(STORE) takes items at SI and stores 32 bytes at DI.
// If the shuffle also reverses bytes, ·pick has it 16 bytes further on.
//
//	DI, SI   dst and src
//	CX       remaining bytes to store
//	R9       the last byte of the first item, for BACKWARD
//	Y15      the shuffle
//	AX, BX   scratch
#define MASKED(LESS, PART, LOOP) \
	RUN(LESS); \
	MOVQ size+32(FP), AX; \
	LEAQ -1(SI)(AX*1), R9; \
	ADDQ AX, AX; \
	CMPQ swap+40(FP), $1; \
	SBBQ $-1, AX; \
	SHLQ $4, AX; \
	LEAQ ·pick+(PART*17*2*16)(SB), BX; \
	VBROADCASTI128 (BX)(AX*1), Y15; \
	CMPB nonTemporal+48(FP), $0; \
	JNE  past; \
cached: \
	LOOP(VMOVDQU); \
	ADDQ $32, DI; \
	SUBQ $32, CX; \
	JNZ  cached; \
	VZEROUPPER; \
	RET; \
past: \
	LOOP(VMOVNTDQ); \
	ADDQ $32, DI; \
	SUBQ $32, CX; \
	JNZ  past; \
	SFENCE; \
	VZEROUPPER; \
none: \
	RET

// moveForward moves consecutive items.
TEXT ·moveForward(SB), NOSPLIT, $0-64
	RUN(0)
	ORDER(swap+40(FP), BX, Y15)
	CMPB nonTemporal+48(FP), $0
	JNE  past
	SHUFFLE(VMOVDQU, blocks, vectors, one, end)
	VZEROUPPER
	RET

past:
	SHUFFLE(VMOVNTDQ, pastBlocks, pastVectors, pastOne, pastEnd)
	SFENCE
	VZEROUPPER

none:
	RET

// PAIRS takes every second item of 64 bytes. The shuffle puts these items in the first 8 of each 16 bytes.
#define PAIRS(STORE) \
	VMOVDQU     0(SI), Y0; \
	VMOVDQU     32(SI), Y1; \
	ADDQ        $64, SI; \
	VPSHUFB     Y15, Y0, Y0; \
	VPSHUFB     Y15, Y1, Y1; \
	VPUNPCKLQDQ Y1, Y0, Y0; \
	VPERMQ      $0xD8, Y0, Y0; \
	STORE       Y0, (DI)

TEXT ·moveEvery2(SB), NOSPLIT, $0-64
	MASKED(1, 2, PAIRS)

// QUADS takes every fourth item of 128 bytes. The shuffle puts these items in the first 4 of each 16 bytes.
#define QUADS(STORE) \
	VMOVDQU     0(SI), Y0; \
	VMOVDQU     32(SI), Y1; \
	VMOVDQU     64(SI), Y2; \
	VMOVDQU     96(SI), Y3; \
	ADDQ        $128, SI; \
	VPSHUFB     Y15, Y0, Y0; \
	VPSHUFB     Y15, Y1, Y1; \
	VPSHUFB     Y15, Y2, Y2; \
	VPSHUFB     Y15, Y3, Y3; \
	VPUNPCKLDQ  Y1, Y0, Y0; \
	VPUNPCKLDQ  Y3, Y2, Y2; \
	VPUNPCKLQDQ Y2, Y0, Y0; \
	VPERMQ      $0xD8, Y0, Y0; \
	VPSHUFD     $0xD8, Y0, Y0; \
	STORE       Y0, (DI)

TEXT ·moveEvery4(SB), NOSPLIT, $0-64
	MASKED(1, 4, QUADS)

// OCTS2 loads 64 bytes and puts the first 2 of each 16 bytes into the lower 4 bytes of each half of A.
#define OCTS2(AT, A, B) \
	VMOVDQU    (AT)(SI), A; \
	VMOVDQU    (AT+32)(SI), B; \
	VPSHUFB    Y15, A, A; \
	VPSHUFB    Y15, B, B; \
	VPUNPCKLWD B, A, A

// OCTS takes every eighth item of 256 bytes. The shuffle puts these items in the first 2 of each 16 bytes.
#define OCTS(STORE) \
	OCTS2(0, Y0, Y1); \
	OCTS2(64, Y2, Y3); \
	OCTS2(128, Y4, Y5); \
	OCTS2(192, Y6, Y7); \
	ADDQ         $256, SI; \
	VPUNPCKLDQ   Y2, Y0, Y0; \
	VPUNPCKLDQ   Y6, Y4, Y4; \
	VPUNPCKLQDQ  Y4, Y0, Y0; \
	VEXTRACTI128 $1, Y0, X1; \
	VPUNPCKLWD   X1, X0, X2; \
	VPUNPCKHWD   X1, X0, X3; \
	VINSERTI128  $1, X3, Y2, Y2; \
	STORE        Y2, (DI)

TEXT ·moveEvery8(SB), NOSPLIT, $0-64
	MASKED(1, 8, OCTS)

// BACKWARD takes the 32 bytes that end at R9. The shuffle reverses the order of items in each 16 bytes, and VPERMQ
// exchanges the two halves.
#define BACKWARD(STORE) \
	VMOVDQU -31(R9), Y0; \
	SUBQ    $32, R9; \
	VPSHUFB Y15, Y0, Y0; \
	VPERMQ  $0x4E, Y0, Y0; \
	STORE   Y0, (DI)

TEXT ·moveBackward(SB), NOSPLIT, $0-64
	MASKED(0, 0, BACKWARD)
