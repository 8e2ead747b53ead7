// CONVERT is the body of all these functions. LOOP(STORE) takes some numbers at SI
// to DI, moves both on and counts CX down; STORE stores a vector, to the cache or
// past it. INIT loads constants.
#define CONVERT(INIT, LOOP) \
	MOVQ dst+0(FP), DI; \
	MOVQ src+8(FP), SI; \
	MOVQ n+16(FP), CX; \
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
	SFENCE; \
	VZEROUPPER; \
	RET
