//go:build amd64 && !purego && !race

#include "textflag.h"
#include "convert_amd64.h"

// ALL makes BITS all eight numbers of a vector.
#define ALL(BITS, X, Y) \
	MOVL         $BITS, AX; \
	VMOVD        AX, X; \
	VPBROADCASTD X, Y

// SINGLE makes float32 of 8 halves at AT, as singleOf does: of what is subnormal 1 is
// taken off as a float, of the others 0; to what is special the bias is added again.
#define SINGLEINIT \
	ALL(0x80000000, X15, Y15) /* the sign */; \
	ALL(0x00800000, X14, Y14) /* 1<<23, the least that is not subnormal */; \
	ALL(0x0f7fffff, X13, Y13) /* above it, all is special */; \
	ALL(0x38000000, X12, Y12) /* the bias */; \
	ALL(0x38800000, X11, Y11) /* 1.0 × 2⁻¹⁴ */

#define SINGLE(AT, Y) \
	VPMOVSXWD (2*(AT))(SI), Y; \
	VPAND     Y15, Y, Y4; \
	VPSLLD    $17, Y, Y; \
	VPSRLD    $4, Y, Y; \
	VPCMPGTD  Y, Y14, Y5; \
	VPCMPGTD  Y13, Y, Y6; \
	VPADDD    Y12, Y, Y; \
	VPAND     Y14, Y5, Y7; \
	VPADDD    Y7, Y, Y; \
	VPAND     Y11, Y5, Y5; \
	VSUBPS    Y5, Y, Y; \
	VPAND     Y12, Y6, Y6; \
	VPADDD    Y6, Y, Y; \
	VPOR      Y4, Y, Y

#define F16F32(STORE) \
	SINGLE(0, Y0); \
	SINGLE(8, Y1); \
	ADDQ  $32, SI; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	ADDQ  $64, DI; \
	SUBQ  $16, CX

TEXT ·convertF16F32(SB), NOSPLIT, $0-40
	CONVERT(SINGLEINIT, F16F32)

#define F16F64(STORE) \
	SINGLE(0, Y0); \
	ADDQ         $16, SI; \
	VEXTRACTF128 $1, Y0, X1; \
	VCVTPS2PD    X0, Y0; \
	VCVTPS2PD    X1, Y1; \
	STORE        Y0, 0(DI); \
	STORE        Y1, 32(DI); \
	ADDQ         $64, DI; \
	SUBQ         $8, CX

TEXT ·convertF16F64(SB), NOSPLIT, $0-40
	CONVERT(SINGLEINIT, F16F64)

// NEAREST makes halves of 8 float32 that are no NaN, not negative and at most 1<<16,
// as halfOf32 does.
#define NEARESTINIT \
	ALL(0x80000000, X15, Y15) /* the sign */; \
	ALL(0x7f800000, X14, Y14) /* the exponent; above it, all is NaN */; \
	ALL(0x38800000, X13, Y13) /* low */; \
	ALL(0x06800000, X12, Y12) /* 13<<23 */

#define NEAREST(Y) \
	VPAND   Y14, Y, Y6; \
	VPMAXSD Y13, Y6, Y6; \
	VPADDD  Y12, Y6, Y7; \
	VADDPS  Y7, Y, Y; \
	VPSUBD  Y7, Y, Y; \
	VPSUBD  Y13, Y6, Y6; \
	VPSRLD  $13, Y6, Y6; \
	VPADDD  Y6, Y, Y

// F32HALF makes halves of 8 float32 at AT. In Y4 is the sign, in Y5 the payload of NaN,
// which becomes infinity at first.
#define F32INIT \
	NEARESTINIT; \
	ALL(0x47800000, X11, Y11) /* 1<<16 */; \
	ALL(0x00000200, X10, Y10) /* says that a NaN is quiet */

#define F32HALF(AT, X, Y) \
	VMOVDQU  (4*(AT))(SI), Y; \
	VPAND    Y15, Y, Y4; \
	VPXOR    Y4, Y, Y; \
	VPCMPGTD Y14, Y, Y6; \
	VPSRLD   $22, Y6, Y6; \
	VPSRLD   $13, Y, Y5; \
	VPOR     Y10, Y5, Y5; \
	VPAND    Y6, Y5, Y5; \
	VPMINSD  Y11, Y, Y; \
	NEAREST(Y); \
	VPSRLD   $16, Y4, Y4; \
	VPOR     Y5, Y, Y; \
	VPOR     Y4, Y, Y

#define F32F16(STORE) PACK2(F32HALF, VPACKUSDW, 4, STORE)

TEXT ·convertF32F16(SB), NOSPLIT, $0-40
	CONVERT(F32INIT, F32F16)

// F64HALF makes halves of 8 float64 at AT. Of their lower 32 bits it only matters
// whether there are any: if so, the last bit of the upper ones is set, 10 bits below
// the last of a half. With another bias these are those of a float32, without its
// last 3; what is too small for that is 0.
#define F64INIT \
	NEARESTINIT; \
	ALL(0x7ff00000, X11, Y11) /* above it, all is NaN */; \
	ALL(0x40f00000, X10, Y10) /* 1<<16 */; \
	ALL(0x38000000, X9, Y9) /* the difference of the biases */; \
	ALL(0x00000001, X8, Y8); \
	VPXOR Y3, Y3, Y3

#define F64HALF(AT, X, Y) \
	VMOVDQU  (8*(AT))(SI), Y4; \
	VMOVDQU  (8*(AT)+32)(SI), Y5; \
	VSHUFPS  $0xdd, Y5, Y4, Y; \
	VSHUFPS  $0x88, Y5, Y4, Y6; \
	VPCMPEQD Y3, Y6, Y6; \
	VPANDN   Y8, Y6, Y6; \
	VPOR     Y6, Y, Y; \
	VPERMQ   $0xd8, Y, Y; \
	VPAND    Y15, Y, Y4; \
	VPXOR    Y4, Y, Y; \
	VPCMPGTD Y11, Y, Y6; \
	VPSRLD   $22, Y6, Y7; \
	VPSRLD   $31, Y6, Y6; \
	VPSRLD   $10, Y, Y5; \
	VPAND    Y7, Y5, Y5; \
	VPMAXSD  Y6, Y5, Y5; \
	VPMINSD  Y10, Y, Y; \
	VPSUBD   Y9, Y, Y; \
	VPMAXSD  Y3, Y, Y; \
	VPSLLD   $3, Y, Y; \
	NEAREST(Y); \
	VPSRLD   $16, Y4, Y4; \
	VPOR     Y5, Y, Y; \
	VPOR     Y4, Y, Y

#define F64F16(STORE) PACK2(F64HALF, VPACKUSDW, 8, STORE)

TEXT ·convertF64F16(SB), NOSPLIT, $0-40
	CONVERT(F64INIT, F64F16)
