//go:build amd64 && !purego && !race

#include "textflag.h"
#include "loops_amd64.h"

// Bytes are put in another order by VPSHUFB, with a mask that says for every byte
// of 16 where it comes from. There is no AVX-512 here, and nowhere in this package:
// with vectors of 64 bytes in place of 32 these loops, which wait for memory or
// the second cache, ran no faster.

// SHUFFLE is the loop over blocks of 128 bytes, and then of 32. A block is loaded
// before it is stored, so dst may overlap src if it is lower. STORE is a store of a
// vector; the one that goes past the caches wants DI to be a multiple of 32.
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

// RUN loads what a loop over n items needs, of which it leaves LESS, or more for whole vectors: CX is how many bytes it
// stores.
#define RUN(LESS) \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ ss+16(FP), R8; \
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

// MASKED is the body of the loops whose masks are in part PART of ·pick: LOOP(STORE) takes some items at SI
// to the 32 bytes at DI; Y15 has the mask.
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

// Items that follow one another.
TEXT ·forward(SB), NOSPLIT, $0-64
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

// GATHER is the loop that takes 4 items of 8 bytes at a time, R8 bytes apart.
#define GATHER(STORE, loop) \
loop: \
	VMOVQ       (SI), X0; \
	VMOVHPS     (SI)(R8*1), X0, X0; \
	VMOVQ       (SI)(R8*2), X1; \
	VMOVHPS     (SI)(R9*1), X1, X1; \
	LEAQ        (SI)(R8*4), SI; \
	VINSERTI128 $1, X1, Y0, Y0; \
	VPSHUFB     Y15, Y0, Y0; \
	STORE       Y0, (DI); \
	ADDQ        $32, DI; \
	SUBQ        $32, CX; \
	JNZ         loop

// Items of 8 bytes that are any distance apart.
TEXT ·apart(SB), NOSPLIT, $0-64
	RUN(0)
	LEAQ (R8)(R8*2), R9
	ORDER(swap+40(FP), BX, Y15)
	CMPB nonTemporal+48(FP), $0
	JNE  past
	GATHER(VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	GATHER(VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER

none:
	RET

// Every other item of 64 bytes: the mask puts those of 16 bytes together in the
// first 8.
#define PAIRS(STORE) \
	VMOVDQU     0(SI), Y0; \
	VMOVDQU     32(SI), Y1; \
	ADDQ        $64, SI; \
	VPSHUFB     Y15, Y0, Y0; \
	VPSHUFB     Y15, Y1, Y1; \
	VPUNPCKLQDQ Y1, Y0, Y0; \
	VPERMQ      $0xD8, Y0, Y0; \
	STORE       Y0, (DI)

TEXT ·every2(SB), NOSPLIT, $0-64
	MASKED(1, 2, PAIRS)

// Every fourth item of 128 bytes: the mask puts those of 16 bytes together in the
// first 4.
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

TEXT ·every4(SB), NOSPLIT, $0-64
	MASKED(1, 4, QUADS)

#define OCTS2(AT, A, B) \
	VMOVDQU    (AT)(SI), A; \
	VMOVDQU    (AT+32)(SI), B; \
	VPSHUFB    Y15, A, A; \
	VPSHUFB    Y15, B, B; \
	VPUNPCKLWD B, A, A

// Every eighth item of 256 bytes: the mask puts those of 16 bytes together in the
// first 2.
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

TEXT ·every8(SB), NOSPLIT, $0-64
	MASKED(1, 8, OCTS)

// Down from R9, where the last byte is: the mask turns the items of 16 bytes the other way round, and the two
// halves change places.
#define BACKWARD(STORE) \
	VMOVDQU -31(R9), Y0; \
	SUBQ    $32, R9; \
	VPSHUFB Y15, Y0, Y0; \
	VPERMQ  $0x4E, Y0, Y0; \
	STORE   Y0, (DI)

TEXT ·backward(SB), NOSPLIT, $0-64
	MASKED(0, 0, BACKWARD)
