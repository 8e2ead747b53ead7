// CONVERT defines the loop NAME, which does
//
//	for i, x := range src[:n&^31] {
//		dst[i] = D(x)
//	}
//
// INIT loads constants. LOOP(A, B, C, STORE) converts some numbers from SI to DI, advances both pointers and subtracts
// the number of these numbers from CX. STORE stores a vector to the cache, or bypasses the caches.
//
//	DI, SI      dst and src
//	CX          remaining numbers
//	Y0 to Y15   belong to LOOP and INIT
#define CONVERT(NAME, INIT, LOOP, A, B, C) \
TEXT NAME(SB), NOSPLIT, $0-40; \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+16(FP), CX; \
	ANDQ $-32, CX; \
	MOVQ CX, done+32(FP); \
	JZ   none; \
	INIT; \
	CMPB nonTemporal+24(FP), $0; \
	JNE  past; \
cached: \
	LOOP(A, B, C, VMOVDQU); \
	JNZ  cached; \
	VZEROUPPER; \
	RET; \
past: \
	LOOP(A, B, C, VMOVNTDQ); \
	JNZ  past; \
	VZEROUPPER; \
none: \
	RET

// PACK2 converts 16 numbers of SIZE bytes to integers of 2 bytes with saturation. I32(AT, X, Y) converts the 8 numbers
// starting at number AT to int32 in Y, whose lower half is X.
#define PACK2(I32, PACK, SIZE, STORE) \
	I32(0, X0, Y0); \
	I32(8, X1, Y1); \
	ADDQ   $(16*SIZE), SI; \
	PACK   Y1, Y0, Y0; \
	VPERMQ $0xd8, Y0, Y0; \
	STORE  Y0, (DI); \
	ADDQ   $32, DI; \
	SUBQ   $16, CX

// ALL sets each of the eight 32-bit lanes of Y to BITS. BROADCAST sets each of the four 64-bit lanes. X is the lower
// half of Y, and both clobber AX.
#define ALL(BITS, X, Y) \
	MOVL         $BITS, AX; \
	VMOVD        AX, X; \
	VPBROADCASTD X, Y

#define BROADCAST(BITS, X, Y) \
	MOVQ         $BITS, AX; \
	VMOVQ        AX, X; \
	VPBROADCASTQ X, Y
