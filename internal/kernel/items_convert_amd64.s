//go:build amd64 && !purego && !race

#include "go_asm.h"
#include "textflag.h"
#include "items_amd64.h"

// CONVERT is the loop named NAME that converts items of type FROM to type TO, and puts it
// in the table. Where a number is none of those that FLIP converts, it goes to bail: then
// that row and the ones after it are left.
#define CONVERT(FROM, TO, NAME, FIRST, LOAD, FLIP, STORE) \
DATA loops<>+(8*(FROM*const_nums+TO))(SB)/8, $NAME(SB); \
TEXT NAME(SB), NOSPLIT, $0-0; \
	ITEMS(FIRST, LOAD, FLIP, STORE); \
bail: \
	MOVQ DX, left+72(FP); \
	RET

GLOBL loops<>(SB), NOPTR, $(8*const_nums*const_nums)

// func convertItems(m, n int, dst, src Side, pair int) (left int)
TEXT ·convertItems(SB), NOSPLIT, $0-80
	MOVQ  pair+64(FP), AX
	LEAQ  loops<>(SB), BX
	MOVQ  (BX)(AX*8), AX
	MOVQ  $-1, left+72(FP) // there is none
	TESTQ AX, AX
	JZ    return
	MOVQ  m+0(FP), BX
	MOVQ  BX, left+72(FP)
	TESTQ BX, BX
	JZ    return
	JMP   AX

return:
	RET

// Integers are in AX, all 8 bytes of them.
#define SIGNED1(X) MOVBQSX X, AX
#define SIGNED2(X) MOVWQSX X, AX
#define SIGNED4(X) MOVLQSX X, AX
#define INT32(X) CVTTSS2SQ X, AX
#define INT64(X) CVTTSD2SQ X, AX

// FLAG makes a byte 0 or 1.
#define FLAG(X) \
	XORL  AX, AX; \
	CMPB  X, $0; \
	SETNE AX

// ANY finds whether an integer is not 0, the others whether floats are not, without a sign.
#define ANY TESTQ AX, AX
#define NUMBER2 ADDW AX, AX
#define NUMBER4 ADDL AX, AX
#define NUMBER8 ADDQ AX, AX
#define STOREFLAG(X) SETNE X

// What came from a float is one of a smaller type if EXTEND finds it there again; what is
// no int64, NaN too, is the least one.
#define FITS(EXTEND) \
	EXTEND AX, R14; \
	CMPQ   R14, AX; \
	JNE    bail

#define FITS8 \
	CMPQ AX, $1; \
	JOS  bail

#define POSITIVE \
	TESTQ AX, AX; \
	JMI   bail

// Floats are in X0, with zeros above them: those of X15, since without it an instruction
// would wait for the last one.
#define ZERO(X) VXORPS X15, X15, X15
#define FLOAT4 VCVTSI2SSL AX, X15, X0
#define FLOAT8 VCVTSI2SDL AX, X15, X0
#define FLOAT4OF4(X) VCVTSI2SSL X, X15, X0
#define FLOAT8OF4(X) VCVTSI2SDL X, X15, X0
#define FLOAT4OF8(X) VCVTSI2SSQ X, X15, X0
#define FLOAT8OF8(X) VCVTSI2SDQ X, X15, X0
#define LONG4 VCVTSI2SSQ AX, X15, X0
#define LONG8 VCVTSI2SDQ AX, X15, X0
#define ULONG4 POSITIVE; LONG4
#define ULONG8 POSITIVE; LONG8
#define LOADX4(X) VMOVSS X, X0
#define LOADX8(X) VMOVSD X, X0
#define DOUBLE(X) VCVTSS2SD X, X15, X0
#define SINGLE(X) VCVTSD2SS X, X15, X0
#define DOUBLES(X) VCVTPS2PD X, X0
#define SINGLES(X) VCVTPD2PSX X, X0
#define STOREX4(X) VMOVSS X0, X
#define STOREX8(X) VMOVSD X0, X
#define STOREX16(X) VMOVUPS X0, X

CONVERT(const_Bool, const_Bool, boolbool<>, NOLOAD, FLAG, NOFLIP, STORE1)
CONVERT(const_Bool, const_I8, booli8<>, NOLOAD, FLAG, NOFLIP, STORE1)
CONVERT(const_Bool, const_I16, booli16<>, NOLOAD, FLAG, NOFLIP, STORE2)
CONVERT(const_Bool, const_I32, booli32<>, NOLOAD, FLAG, NOFLIP, STORE4)
CONVERT(const_Bool, const_I64, booli64<>, NOLOAD, FLAG, NOFLIP, STORE8)
CONVERT(const_Bool, const_F32, boolf32<>, ZERO, FLAG, FLOAT4, STOREX4)
CONVERT(const_Bool, const_F64, boolf64<>, ZERO, FLAG, FLOAT8, STOREX8)
CONVERT(const_Bool, const_C64, boolc64<>, ZERO, FLAG, FLOAT4, STOREX8)
CONVERT(const_Bool, const_C128, boolc128<>, ZERO, FLAG, FLOAT8, STOREX16)

CONVERT(const_I8, const_Bool, i8bool<>, NOLOAD, LOAD1, ANY, STOREFLAG)
CONVERT(const_I8, const_I16, i8i16<>, NOLOAD, SIGNED1, NOFLIP, STORE2)
CONVERT(const_I8, const_I32, i8i32<>, NOLOAD, SIGNED1, NOFLIP, STORE4)
CONVERT(const_I8, const_I64, i8i64<>, NOLOAD, SIGNED1, NOFLIP, STORE8)
CONVERT(const_I8, const_F32, i8f32<>, ZERO, SIGNED1, FLOAT4, STOREX4)
CONVERT(const_I8, const_F64, i8f64<>, ZERO, SIGNED1, FLOAT8, STOREX8)
CONVERT(const_I8, const_C64, i8c64<>, ZERO, SIGNED1, FLOAT4, STOREX8)
CONVERT(const_I8, const_C128, i8c128<>, ZERO, SIGNED1, FLOAT8, STOREX16)

CONVERT(const_I16, const_Bool, i16bool<>, NOLOAD, LOAD2, ANY, STOREFLAG)
CONVERT(const_I16, const_I32, i16i32<>, NOLOAD, SIGNED2, NOFLIP, STORE4)
CONVERT(const_I16, const_I64, i16i64<>, NOLOAD, SIGNED2, NOFLIP, STORE8)
CONVERT(const_I16, const_F32, i16f32<>, ZERO, SIGNED2, FLOAT4, STOREX4)
CONVERT(const_I16, const_F64, i16f64<>, ZERO, SIGNED2, FLOAT8, STOREX8)
CONVERT(const_I16, const_C64, i16c64<>, ZERO, SIGNED2, FLOAT4, STOREX8)
CONVERT(const_I16, const_C128, i16c128<>, ZERO, SIGNED2, FLOAT8, STOREX16)

CONVERT(const_I32, const_Bool, i32bool<>, NOLOAD, LOAD4, ANY, STOREFLAG)
CONVERT(const_I32, const_I64, i32i64<>, NOLOAD, SIGNED4, NOFLIP, STORE8)
CONVERT(const_I32, const_F32, i32f32<>, ZERO, FLOAT4OF4, NOFLIP, STOREX4)
CONVERT(const_I32, const_F64, i32f64<>, ZERO, FLOAT8OF4, NOFLIP, STOREX8)
CONVERT(const_I32, const_C64, i32c64<>, ZERO, FLOAT4OF4, NOFLIP, STOREX8)
CONVERT(const_I32, const_C128, i32c128<>, ZERO, FLOAT8OF4, NOFLIP, STOREX16)

CONVERT(const_I64, const_Bool, i64bool<>, NOLOAD, LOAD8, ANY, STOREFLAG)
CONVERT(const_I64, const_F32, i64f32<>, ZERO, FLOAT4OF8, NOFLIP, STOREX4)
CONVERT(const_I64, const_F64, i64f64<>, ZERO, FLOAT8OF8, NOFLIP, STOREX8)
CONVERT(const_I64, const_C64, i64c64<>, ZERO, FLOAT4OF8, NOFLIP, STOREX8)
CONVERT(const_I64, const_C128, i64c128<>, ZERO, FLOAT8OF8, NOFLIP, STOREX16)

CONVERT(const_U8, const_I16, u8i16<>, NOLOAD, LOAD1, NOFLIP, STORE2)
CONVERT(const_U8, const_I32, u8i32<>, NOLOAD, LOAD1, NOFLIP, STORE4)
CONVERT(const_U8, const_I64, u8i64<>, NOLOAD, LOAD1, NOFLIP, STORE8)
CONVERT(const_U8, const_F32, u8f32<>, ZERO, LOAD1, FLOAT4, STOREX4)
CONVERT(const_U8, const_F64, u8f64<>, ZERO, LOAD1, FLOAT8, STOREX8)
CONVERT(const_U8, const_C64, u8c64<>, ZERO, LOAD1, FLOAT4, STOREX8)
CONVERT(const_U8, const_C128, u8c128<>, ZERO, LOAD1, FLOAT8, STOREX16)

CONVERT(const_U16, const_I32, u16i32<>, NOLOAD, LOAD2, NOFLIP, STORE4)
CONVERT(const_U16, const_I64, u16i64<>, NOLOAD, LOAD2, NOFLIP, STORE8)
CONVERT(const_U16, const_F32, u16f32<>, ZERO, LOAD2, FLOAT4, STOREX4)
CONVERT(const_U16, const_F64, u16f64<>, ZERO, LOAD2, FLOAT8, STOREX8)
CONVERT(const_U16, const_C64, u16c64<>, ZERO, LOAD2, FLOAT4, STOREX8)
CONVERT(const_U16, const_C128, u16c128<>, ZERO, LOAD2, FLOAT8, STOREX16)

CONVERT(const_U32, const_I64, u32i64<>, NOLOAD, LOAD4, NOFLIP, STORE8)
CONVERT(const_U32, const_F32, u32f32<>, ZERO, LOAD4, LONG4, STOREX4)
CONVERT(const_U32, const_F64, u32f64<>, ZERO, LOAD4, LONG8, STOREX8)
CONVERT(const_U32, const_C64, u32c64<>, ZERO, LOAD4, LONG4, STOREX8)
CONVERT(const_U32, const_C128, u32c128<>, ZERO, LOAD4, LONG8, STOREX16)

CONVERT(const_U64, const_F32, u64f32<>, ZERO, LOAD8, ULONG4, STOREX4)
CONVERT(const_U64, const_F64, u64f64<>, ZERO, LOAD8, ULONG8, STOREX8)
CONVERT(const_U64, const_C64, u64c64<>, ZERO, LOAD8, ULONG4, STOREX8)
CONVERT(const_U64, const_C128, u64c128<>, ZERO, LOAD8, ULONG8, STOREX16)

CONVERT(const_F16, const_Bool, f16bool<>, NOLOAD, LOAD2, NUMBER2, STOREFLAG)

CONVERT(const_F32, const_Bool, f32bool<>, NOLOAD, LOAD4, NUMBER4, STOREFLAG)
CONVERT(const_F32, const_I8, f32i8<>, NOLOAD, INT32, FITS(MOVBQSX), STORE1)
CONVERT(const_F32, const_I16, f32i16<>, NOLOAD, INT32, FITS(MOVWQSX), STORE2)
CONVERT(const_F32, const_I32, f32i32<>, NOLOAD, INT32, FITS(MOVLQSX), STORE4)
CONVERT(const_F32, const_I64, f32i64<>, NOLOAD, INT32, FITS8, STORE8)
CONVERT(const_F32, const_U8, f32u8<>, NOLOAD, INT32, FITS(MOVBQZX), STORE1)
CONVERT(const_F32, const_U16, f32u16<>, NOLOAD, INT32, FITS(MOVWQZX), STORE2)
CONVERT(const_F32, const_U32, f32u32<>, NOLOAD, INT32, FITS(MOVLQZX), STORE4)
CONVERT(const_F32, const_U64, f32u64<>, NOLOAD, INT32, POSITIVE, STORE8)
CONVERT(const_F32, const_F64, f32f64<>, ZERO, DOUBLE, NOFLIP, STOREX8)
CONVERT(const_F32, const_C64, f32c64<>, NOLOAD, LOADX4, NOFLIP, STOREX8)
CONVERT(const_F32, const_C128, f32c128<>, ZERO, DOUBLE, NOFLIP, STOREX16)

CONVERT(const_F64, const_Bool, f64bool<>, NOLOAD, LOAD8, NUMBER8, STOREFLAG)
CONVERT(const_F64, const_I8, f64i8<>, NOLOAD, INT64, FITS(MOVBQSX), STORE1)
CONVERT(const_F64, const_I16, f64i16<>, NOLOAD, INT64, FITS(MOVWQSX), STORE2)
CONVERT(const_F64, const_I32, f64i32<>, NOLOAD, INT64, FITS(MOVLQSX), STORE4)
CONVERT(const_F64, const_I64, f64i64<>, NOLOAD, INT64, FITS8, STORE8)
CONVERT(const_F64, const_U8, f64u8<>, NOLOAD, INT64, FITS(MOVBQZX), STORE1)
CONVERT(const_F64, const_U16, f64u16<>, NOLOAD, INT64, FITS(MOVWQZX), STORE2)
CONVERT(const_F64, const_U32, f64u32<>, NOLOAD, INT64, FITS(MOVLQZX), STORE4)
CONVERT(const_F64, const_U64, f64u64<>, NOLOAD, INT64, POSITIVE, STORE8)
CONVERT(const_F64, const_F32, f64f32<>, ZERO, SINGLE, NOFLIP, STOREX4)
CONVERT(const_F64, const_C64, f64c64<>, ZERO, SINGLE, NOFLIP, STOREX8)
CONVERT(const_F64, const_C128, f64c128<>, NOLOAD, LOADX8, NOFLIP, STOREX16)

CONVERT(const_C64, const_C128, c64c128<>, NOLOAD, DOUBLES, NOFLIP, STOREX16)

CONVERT(const_C128, const_C64, c128c64<>, NOLOAD, SINGLES, NOFLIP, STOREX8)
