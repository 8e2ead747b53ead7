//go:build amd64 && !purego && !race

#include "textflag.h"

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

// MASKED is the body of pairs and backward. LOOP(STORE) takes some items at SI
// to the 32 bytes at DI; Y15 has the mask.
#define MASKED(LOOP) \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	MOVQ mask+24(FP), AX; \
	VBROADCASTI128 (AX), Y15; \
	CMPB past+32(FP), $0; \
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
	RET

// func shuffle(dst, src Pointer, n int, mask *[16]byte, past bool)
TEXT ·shuffle(SB), NOSPLIT, $0-33
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ mask+24(FP), AX
	VBROADCASTI128 (AX), Y15
	CMPB past+32(FP), $0
	JNE  past
	SHUFFLE(VMOVDQU, blocks, vectors, one, end)
	VZEROUPPER
	RET

past:
	SHUFFLE(VMOVNTDQ, pastBlocks, pastVectors, pastOne, pastEnd)
	SFENCE
	VZEROUPPER
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
	SUBQ        $4, CX; \
	JNZ         loop

// func gather8(dst, src Pointer, ss, n int, mask *[16]byte, past bool)
TEXT ·gather8(SB), NOSPLIT, $0-41
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ ss+16(FP), R8
	MOVQ n+24(FP), CX
	MOVQ mask+32(FP), AX
	LEAQ (R8)(R8*2), R9
	VBROADCASTI128 (AX), Y15
	CMPB past+40(FP), $0
	JNE  past
	GATHER(VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	GATHER(VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER
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

// func pairs(dst, src Pointer, n int, mask *[16]byte, past bool)
TEXT ·pairs(SB), NOSPLIT, $0-33
	MASKED(PAIRS)

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

// func quads(dst, src Pointer, n int, mask *[16]byte, past bool)
TEXT ·quads(SB), NOSPLIT, $0-33
	MASKED(QUADS)

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

// func octs(dst, src Pointer, n int, mask *[16]byte, past bool)
TEXT ·octs(SB), NOSPLIT, $0-33
	MASKED(OCTS)

// Down from SI, where the last byte is: the mask turns the items of 16 bytes the other way round, and the two
// halves change places.
#define BACKWARD(STORE) \
	VMOVDQU -31(SI), Y0; \
	SUBQ    $32, SI; \
	VPSHUFB Y15, Y0, Y0; \
	VPERMQ  $0x4E, Y0, Y0; \
	STORE   Y0, (DI)

// func backward(dst, src Pointer, n int, mask *[16]byte, past bool)
TEXT ·backward(SB), NOSPLIT, $0-33
	MASKED(BACKWARD)
