// ORDER loads to V the mask that reverses groups of SWAP bytes, with R20 and R21.
#define ORDER(SWAP, V) \
	MOVD SWAP, R20; \
	MOVD $·masks(SB), R21; \
	ADD  R20<<4, R21; \
	VLD1 (R21), [V.B16]

// TURN puts the bytes of V in the order of the mask in V31.
#define TURN(V) VTBL V31.B16, [V.B16], V.B16

#define TURN4(A, B, C, D) \
	TURN(A); \
	TURN(B); \
	TURN(C); \
	TURN(D)
