//go:build amd64 && !purego && !race

#include "textflag.h"
#include "convert_amd64.h"

// TO4 converts 16 numbers of SIZE bytes to numbers of 4 bytes. LOAD loads 8 numbers, and extends integers to 32 bits.
// STEP converts them to the type of the destination.
#define TO4(LOAD, STEP, SIZE, STORE) \
	LOAD  (0*SIZE)(SI), Y0; \
	LOAD  (8*SIZE)(SI), Y1; \
	ADDQ  $(16*SIZE), SI; \
	STEP  Y0, Y0; \
	STEP  Y1, Y1; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	ADDQ  $64, DI; \
	SUBQ  $16, CX

// TO8 converts 16 numbers of SIZE bytes to numbers of 8 bytes. LOAD and STEP do the same for 4 numbers at a time.
#define TO8(LOAD, STEP, SIZE, STORE) \
	LOAD  (0*SIZE)(SI), X0; \
	LOAD  (4*SIZE)(SI), X1; \
	LOAD  (8*SIZE)(SI), X2; \
	LOAD  (12*SIZE)(SI), X3; \
	ADDQ  $(16*SIZE), SI; \
	STEP  X0, Y0; \
	STEP  X1, Y1; \
	STEP  X2, Y2; \
	STEP  X3, Y3; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	STORE Y2, 64(DI); \
	STORE Y3, 96(DI); \
	ADDQ  $128, DI; \
	SUBQ  $16, CX

CONVERT(·convertI8F32, NOP, TO4, VPMOVSXBD, VCVTDQ2PS, 1)
CONVERT(·convertU8F32, NOP, TO4, VPMOVZXBD, VCVTDQ2PS, 1)
CONVERT(·convertI16F32, NOP, TO4, VPMOVSXWD, VCVTDQ2PS, 2)
CONVERT(·convertU16F32, NOP, TO4, VPMOVZXWD, VCVTDQ2PS, 2)
CONVERT(·convertI32F32, NOP, TO4, VMOVDQU, VCVTDQ2PS, 4)
CONVERT(·convertI8F64, NOP, TO8, VPMOVSXBD, VCVTDQ2PD, 1)
CONVERT(·convertU8F64, NOP, TO8, VPMOVZXBD, VCVTDQ2PD, 1)
CONVERT(·convertI16F64, NOP, TO8, VPMOVSXWD, VCVTDQ2PD, 2)
CONVERT(·convertU16F64, NOP, TO8, VPMOVZXWD, VCVTDQ2PD, 2)
CONVERT(·convertI32F64, NOP, TO8, VMOVDQU, VCVTDQ2PD, 4)
CONVERT(·convertF32F64, NOP, TO8, VMOVUPS, VCVTPS2PD, 4)

// F64F32 converts 16 float64 to float32.
#define F64F32(A, B, C, STORE) \
	VCVTPD2PSY  0(SI), X0; \
	VCVTPD2PSY  32(SI), X1; \
	VCVTPD2PSY  64(SI), X2; \
	VCVTPD2PSY  96(SI), X3; \
	ADDQ        $128, SI; \
	VINSERTF128 $1, X1, Y0, Y0; \
	VINSERTF128 $1, X3, Y2, Y2; \
	STORE       Y0, 0(DI); \
	STORE       Y2, 32(DI); \
	ADDQ        $64, DI; \
	SUBQ        $16, CX

CONVERT(·convertF64F32, NOP, F64F32, NONE, NONE, NONE)
