//go:build amd64 && !purego && !race

#include "textflag.h"

// SCALE defines the loop NAME, which does
//
//	for i, x := range src[:n&^31] {
//		dst[i] = T(x)*factor + offset // rounded after each step
//	}
//
// A source number has FROM bytes, and a T has TO bytes. LOAD loads the numbers for 32 bytes of the destination, and
// extends integers to 32 bits. STEP converts them to T, and VECTORS loads factor and offset.
//
//	DI, SI      dst and src
//	CX          remaining numbers
//	V0 to V3    numbers as they are loaded
//	Y0 to Y3    numbers as T
//	Y14, Y15    factor and offset in each lane
#define SCALE(NAME, FROM, TO, LOAD, STEP, V0, V1, V2, V3, VECTORS, MUL, ADD) \
TEXT NAME(SB), NOSPLIT, $0-48; \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	ANDQ $-32, CX; \
	MOVQ CX, done+40(FP); \
	JZ   none; \
	VECTORS; \
next: \
	LOAD    (0*32/TO*FROM)(SI), V0; \
	LOAD    (1*32/TO*FROM)(SI), V1; \
	LOAD    (2*32/TO*FROM)(SI), V2; \
	LOAD    (3*32/TO*FROM)(SI), V3; \
	ADDQ    $(4*32/TO*FROM), SI; \
	STEP(V0, Y0); \
	STEP(V1, Y1); \
	STEP(V2, Y2); \
	STEP(V3, Y3); \
	MUL     Y14, Y0, Y0; \
	MUL     Y14, Y1, Y1; \
	MUL     Y14, Y2, Y2; \
	MUL     Y14, Y3, Y3; \
	ADD     Y15, Y0, Y0; \
	ADD     Y15, Y1, Y1; \
	ADD     Y15, Y2, Y2; \
	ADD     Y15, Y3, Y3; \
	VMOVUPS Y0, 0(DI); \
	VMOVUPS Y1, 32(DI); \
	VMOVUPS Y2, 64(DI); \
	VMOVUPS Y3, 96(DI); \
	ADDQ    $128, DI; \
	SUBQ    $(4*32/TO), CX; \
	JNZ     next; \
	VZEROUPPER; \
none: \
	RET

#define SINGLES \
	VMOVSD       factor+24(FP), X14; \
	VMOVSD       offset+32(FP), X15; \
	VCVTSD2SS    X14, X14, X14; \
	VCVTSD2SS    X15, X15, X15; \
	VBROADCASTSS X14, Y14; \
	VBROADCASTSS X15, Y15

#define DOUBLES \
	VBROADCASTSD factor+24(FP), Y14; \
	VBROADCASTSD offset+32(FP), Y15

#define SAME(V, Y)
#define FROMINT(V, Y) VCVTDQ2PS V, Y
#define FROMINT2(V, Y) VCVTDQ2PD V, Y
#define FROMSINGLE(V, Y) VCVTPS2PD V, Y

SCALE(·scaleI8F32, 1, 4, VPMOVSXBD, FROMINT, Y0, Y1, Y2, Y3, SINGLES, VMULPS, VADDPS)
SCALE(·scaleU8F32, 1, 4, VPMOVZXBD, FROMINT, Y0, Y1, Y2, Y3, SINGLES, VMULPS, VADDPS)
SCALE(·scaleI16F32, 2, 4, VPMOVSXWD, FROMINT, Y0, Y1, Y2, Y3, SINGLES, VMULPS, VADDPS)
SCALE(·scaleU16F32, 2, 4, VPMOVZXWD, FROMINT, Y0, Y1, Y2, Y3, SINGLES, VMULPS, VADDPS)
SCALE(·scaleF32F32, 4, 4, VMOVUPS, SAME, Y0, Y1, Y2, Y3, SINGLES, VMULPS, VADDPS)
SCALE(·scaleI8F64, 1, 8, VPMOVSXBD, FROMINT2, X0, X1, X2, X3, DOUBLES, VMULPD, VADDPD)
SCALE(·scaleU8F64, 1, 8, VPMOVZXBD, FROMINT2, X0, X1, X2, X3, DOUBLES, VMULPD, VADDPD)
SCALE(·scaleI16F64, 2, 8, VPMOVSXWD, FROMINT2, X0, X1, X2, X3, DOUBLES, VMULPD, VADDPD)
SCALE(·scaleU16F64, 2, 8, VPMOVZXWD, FROMINT2, X0, X1, X2, X3, DOUBLES, VMULPD, VADDPD)
SCALE(·scaleI32F64, 4, 8, VMOVDQU, FROMINT2, X0, X1, X2, X3, DOUBLES, VMULPD, VADDPD)
SCALE(·scaleF32F64, 4, 8, VMOVUPS, FROMSINGLE, X0, X1, X2, X3, DOUBLES, VMULPD, VADDPD)
SCALE(·scaleF64F64, 8, 8, VMOVUPD, SAME, Y0, Y1, Y2, Y3, DOUBLES, VMULPD, VADDPD)
