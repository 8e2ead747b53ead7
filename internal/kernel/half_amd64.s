//go:build amd64 && !purego && !race

#include "textflag.h"
#include "convert_amd64.h"

// SINGLE converts 8 halves to the bits of float32 in Y, as singleOfHalf does. It subtracts 1.0 × 2⁻¹⁴ from subnormal
// numbers and 0 from all others, and adds the bias a second time to infinity and NaN.
//
//	Y4           signs
//	Y5           mask of subnormal numbers
//	Y6           mask of infinity and NaN
//	Y7           scratch
//	Y11 to Y15   constants
#define SINGLEINIT \
	ALL(0x80000000, X15, Y15) /* the sign */; \
	ALL(0x00800000, X14, Y14) /* 1<<23, the least normal number */; \
	ALL(0x0f7fffff, X13, Y13) /* greater values are infinity or NaN */; \
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

// F16F32 converts 16 halves to float32.
#define F16F32(A, B, C, STORE) \
	SINGLE(0, Y0); \
	SINGLE(8, Y1); \
	ADDQ  $32, SI; \
	STORE Y0, 0(DI); \
	STORE Y1, 32(DI); \
	ADDQ  $64, DI; \
	SUBQ  $16, CX

CONVERT(·convertF16F32, SINGLEINIT, F16F32, NONE, NONE, NONE)

// F16F64 converts 8 halves to float64.
#define F16F64(A, B, C, STORE) \
	SINGLE(0, Y0); \
	ADDQ         $16, SI; \
	VEXTRACTF128 $1, Y0, X1; \
	VCVTPS2PD    X0, Y0; \
	VCVTPS2PD    X1, Y1; \
	STORE        Y0, 0(DI); \
	STORE        Y1, 32(DI); \
	ADDQ         $64, DI; \
	SUBQ         $8, CX

CONVERT(·convertF16F64, SINGLEINIT, F16F64, NONE, NONE, NONE)

// NEAREST rounds 8 float32 in Y to halves, as rounded32 does. They must not be NaN, negative or greater than 1<<16. Y6
// and Y7 are scratch.
#define NEARESTINIT \
	ALL(0x80000000, X15, Y15) /* the sign */; \
	ALL(0x7f800000, X14, Y14) /* mask of the exponent; greater values are NaN */; \
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

// F32HALF converts 8 float32 to halves in Y, as halfOfSingle does. NaN is rounded as if it were infinity, and then gets its
// payload.
//
//	Y4           signs
//	Y5           payloads of NaNs, 0 for other numbers
//	Y6, Y7       scratch
//	Y10 to Y15   constants
#define F32INIT \
	NEARESTINIT; \
	ALL(0x47800000, X11, Y11) /* 1<<16 */; \
	ALL(0x00000200, X10, Y10) /* the quiet bit of NaN */

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

CONVERT(·convertF32F16, F32INIT, PACK2, F32HALF, VPACKUSDW, 4)

// F64HALF converts 8 float64 to halves in Y, as halfOfDouble does, by way of the upper 32 bits of each number. Of the lower
// 32 bits it matters only whether one is set. If so, the last of the upper bits, 10 bits below the last bit of a half,
// is set. After the difference of the biases is subtracted, the upper 32 bits form a float32 without its last 3 bits.
// Exponents that are too small become 0.
//
//	Y3          zeros
//	Y4          signs
//	Y5          payloads of NaNs, 0 for other numbers
//	Y6, Y7      scratch
//	Y8 to Y15   constants
#define F64INIT \
	NEARESTINIT; \
	ALL(0x7ff00000, X11, Y11) /* greater values are NaN */; \
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

CONVERT(·convertF64F16, F64INIT, PACK2, F64HALF, VPACKUSDW, 8)
