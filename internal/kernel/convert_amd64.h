// CONVERT is the body of all these functions, which convert 32 numbers at a time. LOOP(STORE) takes
// some at SI to DI, moves both on and counts CX down; STORE stores a vector, to the cache or
// past it. INIT loads constants.
#define CONVERT(INIT, LOOP) \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	ANDQ $-32, CX; \
	MOVQ CX, done+32(FP); \
	JZ   none; \
	INIT; \
	CMPB past+24(FP), $0; \
	JNE  past; \
cached: \
	LOOP(VMOVDQU); \
	JNZ  cached; \
	VZEROUPPER; \
	RET; \
past: \
	LOOP(VMOVNTDQ); \
	JNZ  past; \
	VZEROUPPER; \
none: \
	RET

// PACK2 makes integers of 2 bytes, the nearest there are, of the int32 that I32 makes of
// 8 numbers of SIZE bytes at SI.
#define PACK2(I32, PACK, SIZE, STORE) \
	I32(0, X0, Y0); \
	I32(8, X1, Y1); \
	ADDQ   $(16*SIZE), SI; \
	PACK   Y1, Y0, Y0; \
	VPERMQ $0xd8, Y0, Y0; \
	STORE  Y0, (DI); \
	ADDQ   $32, DI; \
	SUBQ   $16, CX
