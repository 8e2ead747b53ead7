//go:build amd64 && !purego && !race

#include "textflag.h"

// 16 numbers at a time: LOAD makes int32 or floats of them, CONVERT what is wanted,
// and STORE stores a vector, to the cache or past it.

#define ARGS \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	CMPB past+24(FP), $0; \
	JNE  past

// TO4 is for numbers of SIZE bytes, of which 8 become 32 bytes.
#define TO4(LOAD, CONVERT, SIZE, STORE, loop) \
loop: \
	LOAD    (0*SIZE)(SI), Y0; \
	LOAD    (8*SIZE)(SI), Y1; \
	ADDQ    $(16*SIZE), SI; \
	CONVERT Y0, Y0; \
	CONVERT Y1, Y1; \
	STORE   Y0, 0(DI); \
	STORE   Y1, 32(DI); \
	ADDQ    $64, DI; \
	SUBQ    $16, CX; \
	JNZ     loop

// TO8 is for numbers of SIZE bytes, of which 4 become 32 bytes.
#define TO8(LOAD, CONVERT, SIZE, STORE, loop) \
loop: \
	LOAD    (0*SIZE)(SI), X0; \
	LOAD    (4*SIZE)(SI), X1; \
	LOAD    (8*SIZE)(SI), X2; \
	LOAD    (12*SIZE)(SI), X3; \
	ADDQ    $(16*SIZE), SI; \
	CONVERT X0, Y0; \
	CONVERT X1, Y1; \
	CONVERT X2, Y2; \
	CONVERT X3, Y3; \
	STORE   Y0, 0(DI); \
	STORE   Y1, 32(DI); \
	STORE   Y2, 64(DI); \
	STORE   Y3, 96(DI); \
	ADDQ    $128, DI; \
	SUBQ    $16, CX; \
	JNZ     loop

// NARROW is for numbers of 8 bytes, of which LOAD makes 4 bytes.
#define NARROW(LOAD, STORE, loop) \
loop: \
	LOAD        0(SI), X0; \
	LOAD        32(SI), X1; \
	LOAD        64(SI), X2; \
	LOAD        96(SI), X3; \
	ADDQ        $128, SI; \
	VINSERTF128 $1, X1, Y0, Y0; \
	VINSERTF128 $1, X3, Y2, Y2; \
	STORE       Y0, 0(DI); \
	STORE       Y2, 32(DI); \
	ADDQ        $64, DI; \
	SUBQ        $16, CX; \
	JNZ         loop

// func i8f32(dst, src Pointer, n int, past bool)
TEXT ·i8f32(SB), NOSPLIT, $0-25
	ARGS
	TO4(VPMOVSXBD, VCVTDQ2PS, 1, VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	TO4(VPMOVSXBD, VCVTDQ2PS, 1, VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER
	RET

// func u8f32(dst, src Pointer, n int, past bool)
TEXT ·u8f32(SB), NOSPLIT, $0-25
	ARGS
	TO4(VPMOVZXBD, VCVTDQ2PS, 1, VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	TO4(VPMOVZXBD, VCVTDQ2PS, 1, VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER
	RET

// func i16f32(dst, src Pointer, n int, past bool)
TEXT ·i16f32(SB), NOSPLIT, $0-25
	ARGS
	TO4(VPMOVSXWD, VCVTDQ2PS, 2, VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	TO4(VPMOVSXWD, VCVTDQ2PS, 2, VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER
	RET

// func u16f32(dst, src Pointer, n int, past bool)
TEXT ·u16f32(SB), NOSPLIT, $0-25
	ARGS
	TO4(VPMOVZXWD, VCVTDQ2PS, 2, VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	TO4(VPMOVZXWD, VCVTDQ2PS, 2, VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER
	RET

// func i32f32(dst, src Pointer, n int, past bool)
TEXT ·i32f32(SB), NOSPLIT, $0-25
	ARGS
	TO4(VMOVDQU, VCVTDQ2PS, 4, VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	TO4(VMOVDQU, VCVTDQ2PS, 4, VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER
	RET

// func i8f64(dst, src Pointer, n int, past bool)
TEXT ·i8f64(SB), NOSPLIT, $0-25
	ARGS
	TO8(VPMOVSXBD, VCVTDQ2PD, 1, VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	TO8(VPMOVSXBD, VCVTDQ2PD, 1, VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER
	RET

// func u8f64(dst, src Pointer, n int, past bool)
TEXT ·u8f64(SB), NOSPLIT, $0-25
	ARGS
	TO8(VPMOVZXBD, VCVTDQ2PD, 1, VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	TO8(VPMOVZXBD, VCVTDQ2PD, 1, VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER
	RET

// func i16f64(dst, src Pointer, n int, past bool)
TEXT ·i16f64(SB), NOSPLIT, $0-25
	ARGS
	TO8(VPMOVSXWD, VCVTDQ2PD, 2, VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	TO8(VPMOVSXWD, VCVTDQ2PD, 2, VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER
	RET

// func u16f64(dst, src Pointer, n int, past bool)
TEXT ·u16f64(SB), NOSPLIT, $0-25
	ARGS
	TO8(VPMOVZXWD, VCVTDQ2PD, 2, VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	TO8(VPMOVZXWD, VCVTDQ2PD, 2, VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER
	RET

// func i32f64(dst, src Pointer, n int, past bool)
TEXT ·i32f64(SB), NOSPLIT, $0-25
	ARGS
	TO8(VMOVDQU, VCVTDQ2PD, 4, VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	TO8(VMOVDQU, VCVTDQ2PD, 4, VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER
	RET

// func f32f64(dst, src Pointer, n int, past bool)
TEXT ·f32f64(SB), NOSPLIT, $0-25
	ARGS
	TO8(VMOVUPS, VCVTPS2PD, 4, VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	TO8(VMOVUPS, VCVTPS2PD, 4, VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER
	RET

// func f64f32(dst, src Pointer, n int, past bool)
TEXT ·f64f32(SB), NOSPLIT, $0-25
	ARGS
	NARROW(VCVTPD2PSY, VMOVDQU, loop)
	VZEROUPPER
	RET

past:
	NARROW(VCVTPD2PSY, VMOVNTDQ, pastLoop)
	SFENCE
	VZEROUPPER
	RET
